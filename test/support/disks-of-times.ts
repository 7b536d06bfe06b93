import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

/**
 * Folders for tests with times of files: on the ordinary disk, which keeps those of a few centuries, and on a disk in
 * memory, which keeps any time, where there is one.
 */
export const disksOfTimes = [tmpdir(), '/dev/shm'].filter((path) => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
})
