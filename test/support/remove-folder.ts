import { rm } from 'node:fs/promises'

/**
 * Removes a folder and all in it, if there is one. A process that was killed a moment ago may still write the last of
 * its files there, so that a folder just emptied has one again: then it is tried again, for a minute at most.
 */
export const removeFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 34 })
