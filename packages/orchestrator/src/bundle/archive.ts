/** A file of an archive, or a link in it. */
export type ArchiveEntry = { path: string; executable?: boolean } & (
  | { bytes: Uint8Array; link?: never }
  | { link: string; bytes?: never }
);

const block = 512;
/** Eleven octal digits. */
const mostInHeader = 8 ** 11 - 1;
/** The end of an archive. */
export const tarEnd = new Uint8Array(2 * block);

/** A tar archive. The same entries give the same bytes, in whatever order they come: sorted, owned by nobody, of no time. */
export function tarOf(entries: readonly ArchiveEntry[]): Uint8Array {
  const sorted = entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  const parts: Uint8Array[] = [];
  for (const entry of sorted) {
    const records = paxRecords(entry);
    if (records !== undefined)
      parts.push(header({ path: 'pax', type: 'x', size: records.length }), ...padded(records));
    const bytes = entry.bytes ?? new Uint8Array();
    const type = entry.link === undefined ? '0' : '2';
    parts.push(
      header({
        path: entry.path,
        type,
        size: bytes.length,
        link: entry.link ?? '',
        mode: entry.executable ? 0o755 : 0o644,
      }),
      ...padded(bytes),
    );
  }
  parts.push(tarEnd);
  return Buffer.concat(parts);
}

/** What stands before a file's bytes in an archive, and after them. For what does not fit into memory. */
export function tarEntry(path: string, size: number): { before: Uint8Array; after: Uint8Array } {
  const records = paxRecords({ path }, size);
  const extended =
    records === undefined
      ? []
      : [header({ path: 'pax', type: 'x', size: records.length }), ...padded(records)];
  const head = header({ path, type: '0', size: size > mostInHeader ? 0 : size });
  return {
    before: Buffer.concat([...extended, head]),
    after: new Uint8Array((block - (size % block)) % block),
  };
}

/** A name that the plain header has no room for, or no agreed encoding, stands in one of its own before it. */
function paxRecords({ path, link }: Pick<ArchiveEntry, 'path' | 'link'>, size = 0): Uint8Array | undefined {
  const plain = (text: string): boolean => /^[\x20-\x7e]{0,100}$/.test(text);
  const records = [
    ...(plain(path) ? [] : [record('path', path)]),
    ...(link === undefined || plain(link) ? [] : [record('linkpath', link)]),
    ...(size > mostInHeader ? [record('size', String(size))] : []),
  ];
  return records.length === 0 ? undefined : Buffer.concat(records);
}

/** Its length counts its own digits. */
function record(key: string, value: string): Uint8Array {
  const body = Buffer.from(` ${key}=${value}\n`);
  let length = body.length;
  while (length !== body.length + String(length).length) length = body.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), body]);
}

type Header = { path: string; type: string; size: number; link?: string; mode?: number };

function header({ path, type, size, link = '', mode = 0o644 }: Header): Uint8Array {
  const bytes = Buffer.alloc(block);
  const text = (value: string, at: number, length: number): void => {
    Buffer.from(value).copy(bytes, at, 0, length);
  };
  const octal = (value: number, at: number, length: number): void =>
    text(value.toString(8).padStart(length - 1, '0'), at, length);
  text(path, 0, 100);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  text(' '.repeat(8), 148, 8);
  text(type, 156, 1);
  text(link, 157, 100);
  text('ustar\u000000', 257, 8);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  text(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8);
  return bytes;
}

function padded(bytes: Uint8Array): Uint8Array[] {
  return [bytes, new Uint8Array((block - (bytes.length % block)) % block)];
}
