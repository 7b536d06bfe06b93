const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/**
 * Removes the spaces and tabs that HTTP allows around a value (RFC 9110, 5.6.3). `String.trim` also removes a no-break
 * space, which belongs to the value for every other reader.
 */
export function trimOptionalSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}
