/** What distinguishes two states of a file without reading it. */
export type FileStamp = { size: number; mtimeMs: number; ctimeMs: number; ino: number }

/** The stamp in a stat result. */
export const stampOf = ({ size, mtimeMs, ctimeMs, ino }: FileStamp): FileStamp => ({ size, mtimeMs, ctimeMs, ino })

/** True when two stamps are of the same state of the same file. */
export const sameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino

/** A stamp that differs from the stamp of every file, so that the daemon examines the file again. */
export const otherStamp = (stamp: FileStamp): FileStamp => ({ ...stamp, ctimeMs: 0 })

/**
 * What distinguishes two folders of one path. The inode number of a removed folder is given to the next one; its time
 * of birth is not, where the file system knows it.
 */
export type FolderMark = { dev: number; ino: number; birthtimeMs: number }

/** The mark in a stat result. */
export const folderMarkOf = ({ dev, ino, birthtimeMs }: FolderMark): FolderMark => ({ dev, ino, birthtimeMs })

/** True when two marks are of the same folder. */
export const isSameFolder = (a: FolderMark, b: FolderMark): boolean =>
  a.dev === b.dev && a.ino === b.ino && a.birthtimeMs === b.birthtimeMs

/** True when two stamps are of one file with the same content; moving or linking a file changes only its ctime. */
export const isSameFile = (a: Omit<FileStamp, 'ctimeMs'>, b: Omit<FileStamp, 'ctimeMs'>): boolean =>
  a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino
