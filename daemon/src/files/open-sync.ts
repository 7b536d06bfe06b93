import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs'
import { errnoOf } from './fs-failure.ts'
import { NOT_A_FILE, NotRegularFile } from './regular-file.ts'

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** As `openRegularFile`, for processes that do one thing after another. The caller closes the descriptor. */
export function openRegularFileSync(path: string): { fd: number; stat: Stats } {
  let fd: number
  try {
    fd = openSync(path, READ)
  } catch (error) {
    throw NOT_A_FILE.includes(errnoOf(error) ?? '') ? new NotRegularFile(path, error) : error
  }
  const stat = fstatSync(fd)
  if (stat.isFile()) return { fd, stat }
  closeSync(fd)
  throw new NotRegularFile(path)
}

/** Makes a new file of the daemon's own; fails when anything has the name. The caller closes the descriptor. */
export const createFileSync = (path: string): number => openSync(path, CREATE, 0o600)

/** Opens a folder, never through a link in its place. The caller closes the descriptor. */
export const openFolderSync = (path: string): number => openSync(path, FOLDER)
