const WORDS =
  'the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one'

/** Deterministic text of some length: lines of 6 to 17 words, all different. */
export function vaultText(length: number): string {
  const words = WORDS.split(' ')
  let state = 7
  const next = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  const lines: string[] = []
  for (let size = 0; size < length; size += lines.at(-1)!.length + 1) {
    const line = Array.from({ length: 6 + next(12) }, () => words[next(words.length)]!)
    lines.push(`${line.join(' ')} ${lines.length}.`)
  }
  return `${lines.join('\n').slice(0, length - 1)}\n`
}
