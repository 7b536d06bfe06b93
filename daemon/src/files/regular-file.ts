import { constants, fstatSync, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { systemDisk, type Disk, type DiskFile } from './disk/disk.ts'
import { errnoOf } from './fs-failure.ts'

/** A regular file was expected, but there is a folder, link, FIFO, socket or device. */
export class NotRegularFile extends Error {
  constructor(path: string, cause?: unknown) {
    super(`${path} is not a regular file`, cause === undefined ? undefined : { cause })
    this.name = 'NotRegularFile'
  }
}

/** A file that should be small is larger than anything that its writer creates. */
export class FileTooLarge extends Error {
  constructor(path: string, size: number) {
    super(`${path} has ${size} bytes, more than is read`)
    this.name = 'FileTooLarge'
  }
}

/**
 * Error codes of open under O_NOFOLLOW: for a link, a socket, a device without a driver, and a folder opened for
 * writing.
 */
export const NOT_A_FILE = ['ELOOP', 'ENXIO', 'ENODEV', 'EISDIR']
const FILE_MODE = 0o600
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
// Most of our own files are small; a larger one was put there by somebody else.
const MAX_OWN_BYTES = 1024 * 1024

/**
 * Opens a regular file. Every file of a vault or of the daemon is opened here, because anybody may have replaced it: a
 * link is not followed, and a FIFO does not block the opening thread.
 */
export async function openRegularFile(path: string, flags: number): Promise<FileHandle> {
  return (await openWithStat(path, flags)).handle
}

/** Like `openRegularFile`, with the stat of the open file. */
export function openWithStat(path: string, flags: number): Promise<{ handle: FileHandle; stat: Stats }> {
  return openChecked(path, flags | constants.O_NOFOLLOW, systemDisk)
}

type OpensAs<File> = { open(path: string, flags: number, mode: number): Promise<File> }

async function openChecked<File extends DiskFile>(
  path: string,
  flags: number,
  disk: OpensAs<File>,
): Promise<{ handle: File; stat: Stats }> {
  const handle = await disk.open(path, flags | constants.O_NONBLOCK, FILE_MODE).catch((error: unknown) => {
    throw NOT_A_FILE.includes(errnoOf(error) ?? '') ? new NotRegularFile(path, error) : error
  })
  try {
    const stat = statOfOpen(handle)
    if (!stat.isFile()) throw new NotRegularFile(path)
    return { handle, stat }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The state of an open file. The kernel has it in memory; a thread would take ten times as long. */
export const statOfOpen = ({ fd }: Pick<DiskFile, 'fd'>): Stats => fstatSync(fd)

/** The text of a file of the daemon's own, or undefined when there is none. */
export async function readOwnFile(path: string, maxBytes = MAX_OWN_BYTES): Promise<string | undefined> {
  try {
    return await textOf(path, await openRegularFile(path, constants.O_RDONLY), maxBytes)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The text of a file that the configuration names. Links are followed: a mounted secret is one. */
export async function readNamedFile(path: string): Promise<string> {
  return textOf(path, (await openChecked(path, constants.O_RDONLY, systemDisk)).handle, MAX_OWN_BYTES)
}

/** Opens a file of the daemon's own for reading and appending; creates it if it is missing. */
export async function openToAppend(path: string): Promise<FileHandle> {
  return (await openChecked(path, APPEND, systemDisk)).handle
}

/** Like `openToAppend`, with the operations of a disk. */
export async function openToAppendOn(disk: Disk, path: string, flags = 0): Promise<DiskFile> {
  return (await openChecked(path, flags | APPEND, disk)).handle
}

async function textOf(path: string, handle: FileHandle, maxBytes: number): Promise<string> {
  try {
    const { size } = await handle.stat()
    if (size > maxBytes) throw new FileTooLarge(path, size)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
