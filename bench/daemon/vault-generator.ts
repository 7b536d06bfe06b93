import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Words of a generated vault by frequency, and the path of a note in the middle. */
export type GeneratedVault = { common: string[]; middle: string[]; rare: string[]; note: string; bytes: number }

const VOCABULARY = 300_000
const BEND = 6000
const REPEATED = 0.35
const NOTES_PER_FOLDER = 60
const SYLLABLES = 'ba be di do fa go hi ka le li ma mi na no pa pe ra re ri sa se ta te ti to va vi xo zu'.split(' ')

/** The word of a rank: the more frequent, the shorter. */
function wordAt(rank: number): string {
  let word = ''
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

/** Random numbers below one, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Draws words with the frequencies of natural text: Zipf's law for the frequent ones, with a steeper tail, so that the
 * vocabulary grows with the vault as in real vaults.
 */
function wordsFrom(random: () => number): () => string {
  const words = Array.from({ length: VOCABULARY }, (_, rank) => wordAt(rank))
  const upTo = new Float64Array(VOCABULARY)
  let total = 0
  for (let rank = 1; rank <= VOCABULARY; rank++) {
    total += rank <= BEND ? rank ** -1.03 : BEND ** -1.03 * (rank / BEND) ** -1.75
    upTo[rank - 1] = total
  }
  return () => {
    const wanted = random() * total
    let low = 0
    let high = VOCABULARY - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (upTo[middle]! < wanted) low = middle + 1
      else high = middle
    }
    return words[low]!
  }
}

/** Writes notes of 1 to 8 KB with properties, headings, links and lists. */
export function generateVault(root: string, count: number): GeneratedVault {
  const random = randomFrom(count)
  const draw = wordsFrom(random)
  let used: string[] = []
  /**
   * A word of the current note again with some probability, because a text about one subject repeats its words;
   * otherwise a new one.
   */
  const word = () => {
    const known = random() < REPEATED ? used[Math.floor(random() * used.length)] : undefined
    if (known !== undefined) return known
    const fresh = draw()
    used.push(fresh)
    return fresh
  }
  const sentence = (length: number) => Array.from({ length }, word).join(' ')
  const folders = Math.max(1, Math.floor(count / NOTES_PER_FOLDER))
  const paths: string[] = []
  let bytes = 0

  for (let folder = 0; folder < folders; folder++) mkdirSync(join(root, folderAt(folder)), { recursive: true })
  for (let number = 0; number < count; number++) {
    const path = `${folderAt(number % folders)}/note ${number}.md`
    const wanted = 1024 * 8 ** random()
    used = []
    const parts = [
      `---\ntags: [${word()}, ${word()}]\nstatus: ${number % 3 === 0 ? 'open' : 'done'}\n---\n\n# ${sentence(4)}\n`,
    ]
    let length = parts[0]!.length
    while (length < wanted) {
      const kind = random()
      const link = paths.length > 0 ? ` [[${paths[Math.floor(random() * paths.length)]!.slice(0, -3)}]]` : ''
      const part =
        kind < 0.1
          ? `\n## ${sentence(3)}\n`
          : kind < 0.2
            ? `\n- ${sentence(6)}\n- ${sentence(6)}${link}\n`
            : `\n${sentence(40)}.\n`
      parts.push(part)
      length += part.length
    }
    writeFileSync(join(root, path), parts.join(''))
    paths.push(path)
    bytes += length
  }
  return {
    common: ranks({ from: 20, to: 80, count: 61, step: 23 }).map(wordAt),
    middle: ranks({ from: 2000, to: 6000, count: 200, step: 61 }).map(wordAt),
    rare: ranks({ from: 150_000, to: 190_000, count: 200, step: 61 }).map(wordAt),
    note: paths[count >>> 1]!,
    bytes,
  }
}

/**
 * Ranks at equal distances, ordered so that even the first few are spread over the whole range. `step` and `count` must
 * have no common divisor.
 */
function ranks({ from, to, count, step }: { from: number; to: number; count: number; step: number }): number[] {
  const distance = (to - from) / (count - 1)
  return Array.from({ length: count }, (_, index) => Math.round(from + ((index * step) % count) * distance))
}

const folderAt = (number: number): string => `area ${number % 12}/folder ${number}`
