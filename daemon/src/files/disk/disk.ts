import type { Stats, StatsFs } from 'node:fs'
import { link, lstat, mkdir, open, readdir, rename, rm, rmdir, statfs, unlink } from 'node:fs/promises'

/** An open file or folder, as far as changes need one. */
export type DiskFile = {
  readonly fd: number
  read(into: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
  write(bytes: Buffer, from: number): Promise<{ bytesWritten: number }>
  writeFile(content: string | Buffer | AsyncIterable<Buffer>): Promise<void>
  truncate(length: number): Promise<void>
  chmod(mode: number): Promise<void>
  chown(uid: number, gid: number): Promise<void>
  datasync(): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * The operations of which every change of a vault consists. They are an argument, so that a test can make each of them
 * fail.
 */
export type Disk = Readonly<{
  /** Removes a name of a file that still has another one, so no space is freed. */
  dropName(path: string): Promise<void>
  link(from: string, to: string): Promise<void>
  lstat(path: string): Promise<Stats>
  mkdir(path: string): Promise<unknown>
  open(path: string, flags: string | number, mode?: number): Promise<DiskFile>
  readdir(path: string): Promise<string[]>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>
  rmdir(path: string): Promise<void>
  statfs(path: string): Promise<Pick<StatsFs, 'bavail' | 'bsize'>>
  unlink(path: string): Promise<void>
}>

/** Operations for any disk. Each of them runs in a thread. */
export const systemDisk = {
  dropName: unlink,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  statfs,
  unlink,
} satisfies Disk

/** Operations for the disks of a daemon. Those of `local`, for disks of this machine, may run on the event loop. */
export type Disks = { local: Disk; any: Disk }
