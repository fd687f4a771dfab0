/** Decodes standard, padded base64 and nothing else; `undefined` when the text is anything else. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node accepts missing padding, spaces and the URL alphabet; only the exact text comes back the same.
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Reads a decimal as the note formats write it: no sign, no leading zero, at most 2^53-1. */
export function decodeDecimal(text: string): number | undefined {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
