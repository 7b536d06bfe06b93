import { rm } from 'node:fs/promises'

/**
 * Removes a folder with its content, if it exists. A process that was just killed may still write its last files, so
 * that the folder is not empty when it is removed. The removal is then retried, for at most a minute.
 */
export const removeFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 34 })
