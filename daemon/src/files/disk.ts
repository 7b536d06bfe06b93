import { chmod, link, lstat, mkdir, open, readdir, rename, rm, rmdir, statfs, unlink } from 'node:fs/promises'

/** The operations of which every change of a vault consists. An argument, so that a test can make each of them fail. */
export type Disk = Readonly<{
  chmod: typeof chmod
  link: typeof link
  lstat: typeof lstat
  mkdir: typeof mkdir
  open: typeof open
  readdir: typeof readdir
  rename: typeof rename
  rm: typeof rm
  rmdir: typeof rmdir
  statfs: typeof statfs
  unlink: typeof unlink
}>

/** The disks of this machine. */
export const systemDisk: Disk = { chmod, link, lstat, mkdir, open, readdir, rename, rm, rmdir, statfs, unlink }
