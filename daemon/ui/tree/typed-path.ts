/** The path that somebody typed, without the blanks and slashes around it. */
export const typedPath = (typed: string): string =>
  typed
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .join('/')
