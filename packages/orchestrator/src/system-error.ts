const words: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'the quota is used up',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  ENOTEMPTY: 'something was put there meanwhile',
  EEXIST: 'something is there already',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  EAGAIN: 'it is no plain file: nothing is in it yet',
  EIO: 'the disk failed',
};

/** What the system said, in words. */
export function systemWords(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return (code === undefined ? undefined : words[code]) ?? message ?? String(cause);
}

export function isDiskFull(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
