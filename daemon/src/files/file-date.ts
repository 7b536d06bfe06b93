// A year of four digits: ISO 8601 writes other years in a form that many programs, and our own API, do not read.
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * The time of a file as a date that can be shown. Some disks keep times of no calendar, and any program can set them;
 * such a time becomes the nearest one in the years 1 to 9999. Pure.
 */
export const fileDate = (mtimeMs: number): Date => new Date(Math.min(Math.max(mtimeMs, FIRST_MS), LAST_MS))

/** The time of a file in ISO 8601, with a year of four digits. */
export const fileTimeText = (mtimeMs: number): string => fileDate(mtimeMs).toISOString()
