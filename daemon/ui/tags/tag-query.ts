/** The search for the notes with a tag. A tag with white space, which front matter allows, is quoted. Pure. */
export const tagQuery = (tag: string): string => (/\s/.test(tag) ? `tag:"${tag}"` : `tag:${tag}`)

/** True for the property that has the tags of a note. Pure. */
export const isTags = (name: string): boolean => /^tags?$/i.test(name)

/** The value of a property. Tags that are written as one text become a list, as the daemon reads them. Pure. */
export function listedTags(name: string, value: unknown): unknown {
  if (!isTags(name) || typeof value !== 'string') return value
  const tags = value.split(/[\s,]+/).filter((tag) => tag !== '')
  return tags.length > 1 ? tags : (tags[0] ?? value)
}
