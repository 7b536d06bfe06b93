/**
 * A path without the slashes at its end. A regular expression for this would take quadratic time in their number. Pure.
 */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}
