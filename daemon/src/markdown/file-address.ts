/** A path as seen from a folder. */
export function pathFrom(folder: string, path: string): string {
  const [from, to] = [folder === '' ? [] : folder.split('/'), path.split('/')]
  let common = 0
  while (common < from.length && common < to.length - 1 && from[common] === to[common]) common++
  return [...from.slice(common).map(() => '..'), ...to.slice(common)].join('/')
}

/** A path as the address of a Markdown link. Letters of other scripts stay letters, or are encoded too. */
export function encodeAddress(path: string, others: 'letters' | 'ascii'): string {
  return path
    .replace(/[\s%#?<>()[\]\\|"^`{}]/g, (character) => encodeURIComponent(character).replace(/[()]/g, hex))
    .replace(/[^\x20-\x7e]+/g, (letters) => (others === 'ascii' ? encodeURIComponent(letters) : letters))
}

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
