/** Numbers as a person reads them: three significant digits and a unit. */

const gib = 2 ** 30;

/** Bytes of a GPU or a host. */
export function memory(bytes: number): string {
  return bytes < 0.1 * gib ? `${significant(bytes / 2 ** 20)} MiB` : `${significant(bytes / gib)} GiB`;
}

/** Bytes of a disk. */
export function disk(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${significant(bytes / 1000 ** step)} ${units[step]}`;
}

/** A count without a unit: 4.11 G. */
export function count(value: number): string {
  if (value < 10_000) return String(Math.round(value));
  const units = ['', ' k', ' M', ' G', ' T'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${significant(value / 1000 ** step)}${units[step]}`;
}

export function flops(value: number): string {
  return value.toExponential(2).replace('e+', 'e');
}

/** From the least to the most; one number where they are the same. */
export function between(
  { low, high }: { low: number; high: number },
  show: (value: number) => string,
): string {
  const [least, most] = [show(low), show(high)];
  return least === most ? least : `${least}–${most}`;
}

export function hours(value: number): string {
  if (value < 1 / 60) return '1 min';
  if (value < 1) return `${Math.ceil(value * 60)} min`;
  return value < 48 ? `${significant(value)} h` : `${significant(value / 24)} d`;
}

/** Three digits, without a tail of zeros; whole numbers whole. */
function significant(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
