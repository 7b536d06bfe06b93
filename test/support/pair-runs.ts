import { rm } from 'node:fs/promises'
import { makePairVault, pairedChanges, sendChange, stateOfVault } from './paired-changes.ts'
import { startSvcd } from './svcd.ts'

type Pair = readonly [one: string, other: string]

const names = Object.keys(pairedChanges)
/** Every two changes that may come at the same time. */
export const allPairs: readonly Pair[] = names.flatMap((one, at) =>
  names.slice(at + 1).map((other): Pair => [one, other]),
)

type Runs = { pairs: readonly Pair[]; repeats: number; onPair?(done: number): void }

/**
 * Makes the changes of each pair at once, and one after the other in both orders, each time in a vault of its own.
 * Returns a text for each pair whose answers and files are those of neither order.
 */
export async function pairsOutOfOrder({ pairs, repeats, onPair }: Runs): Promise<string[]> {
  const daemon = await startSvcd({ env: { SVC_MAX_VAULTS: '1000' } })
  let vaults = 0

  /** The answers, the one to `one` first, and the files afterwards. */
  async function resultOf([one, other]: Pair, make: (send: (name: string) => Promise<string>) => Promise<string[]>) {
    const vault = await makePairVault(daemon, `pair-${vaults++}`)
    const answers = new Map<string, string>()
    await make(async (name) => {
      const answer = await sendChange(daemon, vault, name)
      answers.set(name, answer)
      return answer
    })
    const state = await stateOfVault(vault)
    await rm(vault.folder, { recursive: true })
    return `${one}: ${answers.get(one)}, ${other}: ${answers.get(other)}\n${state}`
  }
  const inTurn = (pair: Pair, order: Pair) =>
    resultOf(pair, async (send) => [await send(order[0]), await send(order[1])])

  const found: string[] = []
  try {
    for (const [done, pair] of pairs.entries()) {
      const [one, other] = pair
      const ordered = [await inTurn(pair, pair), await inTurn(pair, [other, one])]
      for (let time = 0; time < repeats; time++) {
        const order = time % 2 === 0 ? pair : [other, one]
        const result = await resultOf(pair, (send) => Promise.all(order.map(send)))
        if (ordered.includes(result)) continue
        found.push([`At once: ${result}`, ...ordered.map((each) => `In turn: ${each}`)].join('\n\n'))
        break
      }
      onPair?.(done + 1)
    }
  } finally {
    await daemon.remove()
  }
  return found
}
