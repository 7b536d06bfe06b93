import type { z } from 'zod'

type Def = { type: string } & Record<string, any> // eslint-disable-line typescript/no-explicit-any -- zod's own, by kind

/** Texts that no store accepts, in lengths and forms that the other rules of a schema may require. */
const hostile = [1, 2, 3, 8, 12, 16, 17, 24, 28, 40, 64, 128].flatMap((length) =>
  ['\0', '\ud800', '\udfff'].flatMap((bad) => [
    'a'.repeat(length - 1) + bad,
    bad + 'a'.repeat(length - 1),
    '/' + 'a'.repeat(Math.max(0, length - 2)) + bad,
    `https://example.org/${bad}`,
    `a${bad}@example.org`,
    `a@example.org${bad}`,
  ]),
)
const hostileValues = [...hostile.slice(0, 3), { a: ['\0'] }, { '\0': 1 }, [{ b: '\ud800' }]]

/** The places of a request's schema that accept ill-formed text or NUL, as dotted paths. */
export function placesOfIllFormedText(schema: z.ZodType, path = ''): string[] {
  const def = schema.def as unknown as Def
  const inside = (inner: z.ZodType, name?: string | number) =>
    placesOfIllFormedText(inner, name === undefined ? path : `${path}.${name}`)

  switch (def.type) {
    case 'string':
      return hostile.some((text) => schema.safeParse(text).success) ? [path] : []
    case 'unknown':
    case 'any':
      return hostileValues.some((value) => schema.safeParse(value).success) ? [path] : []
    case 'object':
      return Object.entries(def['shape'] as Record<string, z.ZodType>).flatMap(([name, inner]) => inside(inner, name))
    case 'array':
      return inside(def['element'], '[]')
    case 'tuple':
      return (def['items'] as z.ZodType[]).flatMap((inner, index) => inside(inner, index))
    case 'record':
      return [...inside(def['keyType'], '(key)'), ...inside(def['valueType'], '(value)')]
    case 'union':
      return (def['options'] as z.ZodType[]).flatMap((inner, index) => inside(inner, `(${index})`))
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return inside(def['innerType'])
    case 'pipe':
      return inside(def['in'])
    case 'lazy':
      return inside((def['getter'] as () => z.ZodType)())
    case 'number':
    case 'int':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'undefined':
      return []
    default:
      throw new Error(`${path}: a schema of kind ${def.type} is not known here; say how text gets through it`)
  }
}
