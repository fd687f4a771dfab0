/** Bytes in a GiB. Card sizes and `nvidia-smi` speak GiB or MiB, disks and file sizes GB. */
export const GIB = 2 ** 30;

/** Bytes in a GB. */
export const GB = 1e9;
