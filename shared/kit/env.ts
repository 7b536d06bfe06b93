import { z } from 'zod'
import { toFieldProblems } from '../wire/field-problems.ts'
import { ConfigurationError } from './configuration-error.ts'
import { Secret } from './secret.ts'

/** A variable that holds a secret; an empty text counts as unset. */
export const secretText = () =>
  z
    .string()
    .min(1)
    .transform((text) => new Secret(text))

/** Minimum length of a secret that cannot be guessed. */
export const MIN_SECRET_LENGTH = 32

/** A variable that holds a secret of at least `MIN_SECRET_LENGTH` characters. */
export const longSecretText = () =>
  secretText().refine((secret) => secret.reveal().length >= MIN_SECRET_LENGTH, {
    message: `must have at least ${MIN_SECRET_LENGTH} characters`,
  })

/** A switch: 1 or true, 0 or false. */
export const flag = (initial: boolean) =>
  z
    .enum(['1', 'true', '0', 'false'])
    .default(initial ? '1' : '0')
    .transform((text) => text === '1' || text === 'true')

/** A whole number within bounds. */
export const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max)

/** A TCP port; 0 lets the system choose. */
export const port = () => integer(0, 65_535)

/** Parses the environment with a schema: empty variables count as unset, all problems are reported at once. */
export function readEnvironment<T extends z.ZodType>(schema: T, env: Record<string, string | undefined>): z.output<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new ConfigurationError(toFieldProblems(parsed.error))
  return Object.freeze(parsed.data) as z.output<T>
}

/** The variables of a schema with default and meaning, one per line, for `--help`. */
export function describeEnvironment(schema: z.ZodObject): string {
  const rows = Object.entries(schema.shape).map(([name, field]) => {
    const type = field as z.ZodType
    const initial = type.safeParse(undefined)
    const value = initial.success && initial.data !== undefined ? ` (default ${shown(initial.data)})` : ''
    return [name, `${type.description ?? ''}${value}`] as const
  })
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n')
}

const shown = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
