import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs'
import { errnoOf } from './fs-failure.ts'
import { NOT_A_FILE, NotRegularFile } from './regular-file.ts'

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** A synchronous `openRegularFile`, for processes that do one thing at a time. The caller closes the descriptor. */
export const openRegularFileSync = (path: string): OpenSync => openChecked(path, READ)

/** Opens a file of the daemon's own to read it and to append to it. The caller closes the descriptor. */
export const openToAppendSync = (path: string): OpenSync => openChecked(path, APPEND)

/** Like `openToAppendSync`, but creates a missing file. */
export const openOrMakeToAppendSync = (path: string): OpenSync => openChecked(path, APPEND | constants.O_CREAT)

type OpenSync = { fd: number; stat: Stats }

function openChecked(path: string, flags: number): OpenSync {
  let fd: number
  try {
    fd = openSync(path, flags, 0o600)
  } catch (error) {
    throw NOT_A_FILE.includes(errnoOf(error) ?? '') ? new NotRegularFile(path, error) : error
  }
  const stat = fstatSync(fd)
  if (stat.isFile()) return { fd, stat }
  closeSync(fd)
  throw new NotRegularFile(path)
}

/** Creates a file of the daemon's own; fails when anything has the name. The caller closes the descriptor. */
export const createFileSync = (path: string): number => openSync(path, CREATE, 0o600)

/** Opens a folder, never through a link in its place. The caller closes the descriptor. */
export const openFolderSync = (path: string): number => openSync(path, FOLDER)
