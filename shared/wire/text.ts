import { z } from 'zod'

const NOT_STORABLE = 'must be well-formed Unicode without NUL'
// Aborts, so that a reader who stops at the first problem stops at this one too.
const storable = { message: NOT_STORABLE, abort: true }

/** True for text that every store and every JSON parser accepts: no lone surrogate, no NUL. Linear. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/**
 * Text in a request. Always declare text with it: databases and file systems refuse the same characters, but late, when
 * half of the work is done.
 */
export const text = () => z.string().refine(isStorableText, storable)

/** A URL with the scheme http or https. */
export const webUrl = () => z.url({ protocol: /^https?$/ }).refine(isStorableText, NOT_STORABLE)

/** Any JSON value, with storable text in its values and keys. */
export const jsonValue = () => z.unknown().refine(holdsStorableText, NOT_STORABLE)

// Not recursive: the sender may nest the value arbitrarily deep.
function holdsStorableText(value: unknown): boolean {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string' && !isStorableText(next)) return false
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next) && !Object.keys(next).every(isStorableText)) return false
    for (const item of Object.values(next)) waiting.push(item)
  }
  return true
}
