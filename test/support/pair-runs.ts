/** A place of its own for two changes. */
export type PairWorld = {
  /** Makes the change of this name; returns its answer without what differs from place to place. */
  send(name: string): Promise<string>
  /** What the changes have left behind, also without that. */
  state(): Promise<string>
  end(): Promise<void>
}

type Pair = readonly [one: string, other: string]

/** Every two changes that may come at the same time. */
export const allPairsOf = (names: readonly string[]): Pair[] =>
  names.flatMap((one, at) => names.slice(at + 1).map((other): Pair => [one, other]))

type Runs = {
  pairs: readonly Pair[]
  repeats: number
  makeWorld(): Promise<PairWorld>
  onPair?: ((done: number) => void) | undefined
}

/**
 * Makes the changes of each pair at once, and one after the other in both orders, each time in a place of their own.
 * Returns a text for each pair whose answers and state are those of neither order.
 */
export async function pairsOutOfOrder({ pairs, repeats, makeWorld, onPair }: Runs): Promise<string[]> {
  /** The answers, the one to `one` first, and the state afterwards. */
  async function resultOf([one, other]: Pair, make: (send: (name: string) => Promise<string>) => Promise<string[]>) {
    const world = await makeWorld()
    const answers = new Map<string, string>()
    await make(async (name) => {
      const answer = await world.send(name)
      answers.set(name, answer)
      return answer
    })
    const state = await world.state()
    await world.end()
    return `${one}: ${answers.get(one)}, ${other}: ${answers.get(other)}\n${state}`
  }
  const inTurn = (pair: Pair, order: Pair) =>
    resultOf(pair, async (send) => [await send(order[0]), await send(order[1])])

  const found: string[] = []
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
  return found
}

const TOLD_EVERY = 50

/** Prints how many of the pairs are done, now and then. */
export const tellPairs = (all: number) => (done: number) => {
  if (done % TOLD_EVERY === 0) console.log(`${done} of ${all} pairs`)
}
