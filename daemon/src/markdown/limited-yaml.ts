import { Composer, Parser, type CST, type Document } from 'yaml'

/** Why a YAML text is refused. */
export type YamlRefusal =
  'too_long' | 'too_deep' | 'too_many_keys' | 'too_many_aliases' | 'key_not_scalar' | 'value_too_large' | 'invalid'

/** A YAML text that keeps to the limits, or why it does not. `value` is plain JSON. */
export type LimitedYaml =
  { kind: 'parsed'; document: Document.Parsed; value: unknown } | { kind: 'refused'; reason: YamlRefusal }

/** Limits of YAML that people write into a vault. */
export const yamlLimits = { characters: 64 * 1024, depth: 16, keys: 2000, aliases: 20, values: 10_000 } as const

class Refused extends Error {
  readonly reason: YamlRefusal

  constructor(reason: YamlRefusal) {
    super(reason)
    this.reason = reason
  }
}

/**
 * Parses one YAML document of untrusted origin. The limits are checked on the tokens, before anything is converted: a
 * converted key that is itself a map takes exponential time, and aliases multiply what they stand for.
 */
export function parseLimitedYaml(text: string): LimitedYaml {
  if (text.length > yamlLimits.characters) return { kind: 'refused', reason: 'too_long' }
  try {
    const tokens = [...new Parser().parse(text)]
    const counts = { keys: 0, aliases: 0 }
    for (const token of tokens) inspect(token, counts, 0)

    const composer = new Composer({ uniqueKeys: false })
    // The composer collects its errors, and creating tens of thousands of them takes seconds. The first one is enough.
    Object.defineProperty(composer, 'onError', { value: refuseError })
    const [document, ...others] = composer.compose(tokens, true, text.length)
    if (!document || others.length > 0) throw new Refused('invalid')

    const value: unknown = document.toJS({ maxAliasCount: yamlLimits.aliases })
    refuseLarge(value)
    return { kind: 'parsed', document: document as Document.Parsed, value: JSON.parse(JSON.stringify(value ?? null)) }
  } catch (error) {
    // Any error that the library throws means that it cannot read the text.
    return { kind: 'refused', reason: error instanceof Refused ? error.reason : 'invalid' }
  }
}

/** The value of a YAML document of untrusted origin; undefined if it is refused. */
export function readYaml(text: string): unknown {
  const parsed = parseLimitedYaml(text)
  return parsed.kind === 'parsed' ? parsed.value : undefined
}

function refuseError(_source: unknown, _code: unknown, _message: string, isWarning?: boolean): void {
  if (!isWarning) throw new Refused('invalid')
}

type Counts = { keys: number; aliases: number }

/** Walks tokens as they were written; the depth limit also bounds this recursion and those of the library. */
function inspect(token: CST.Token | null | undefined, counts: Counts, depth: number): void {
  if (!token) return
  if (token.type === 'error') throw new Refused('invalid')
  if (token.type === 'alias' && ++counts.aliases > yamlLimits.aliases) throw new Refused('too_many_aliases')
  if (token.type === 'document') return inspect(token.value, counts, depth)
  if (!isCollection(token)) return

  if (depth >= yamlLimits.depth) throw new Refused('too_deep')
  for (const item of token.items) {
    if (item.key) {
      if (!isScalarToken(item.key)) throw new Refused('key_not_scalar')
      if (++counts.keys > yamlLimits.keys) throw new Refused('too_many_keys')
    }
    inspect(item.value, counts, depth + 1)
  }
}

const isCollection = (token: CST.Token): token is CST.BlockMap | CST.BlockSequence | CST.FlowCollection =>
  token.type === 'block-map' || token.type === 'block-seq' || token.type === 'flow-collection'

const isScalarToken = ({ type }: CST.Token): boolean =>
  type === 'scalar' || type === 'single-quoted-scalar' || type === 'double-quoted-scalar' || type === 'block-scalar'

/** True for a value of a request that may become YAML: no deeper and no larger than what is parsed. */
export function isWithinLimits(value: unknown): boolean {
  try {
    refuseLarge(value)
    return true
  } catch {
    return false
  }
}

/** Counts an alias as the value that it refers to, because that value is written out. */
function refuseLarge(value: unknown): void {
  let values = 0
  let characters = 0
  const count = (one: unknown, depth: number): void => {
    if (depth > yamlLimits.depth) throw new Refused('too_deep')
    if (typeof one === 'string') characters += one.length
    if (++values > yamlLimits.values || characters > 2 * yamlLimits.characters) throw new Refused('value_too_large')
    if (typeof one !== 'object' || one === null) return
    for (const [key, inner] of Object.entries(one)) {
      characters += key.length
      count(inner, depth + 1)
    }
  }
  count(value, 0)
}
