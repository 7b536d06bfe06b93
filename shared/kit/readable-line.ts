import { stripVTControlCharacters, styleText } from 'node:util'

type Line = { level?: unknown; msg?: unknown; vault?: unknown; err?: { message?: unknown }; [field: string]: unknown }

const COLOURS = { warn: 'yellow', error: 'red', fatal: 'red', debug: 'dim', trace: 'dim' } as const

// Fields that are in every line or shown elsewhere.
const KNOWN = new Set(['level', 'time', 'service', 'msg', 'vault', 'err'])

/**
 * One line of the JSON log for people: time, message, vault and the other fields. Control characters in values are
 * removed, because anybody may have chosen a logged name. Pure.
 */
export function readableLine(json: string, colours: 'coloured' | 'plain'): string {
  const line = JSON.parse(json) as Line
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours === 'coloured' ? styleText(style, text, { validateStream: false }) : text
  const level = String(line.level)
  const colour = level in COLOURS ? COLOURS[level as keyof typeof COLOURS] : undefined
  const message = clean(line.msg)
  const parts = [paint('dim', clean(line.time).slice(11, 19)), colour ? paint(colour, message) : message]
  if (line.vault !== undefined) parts.push(paint('cyan', clean(line.vault)))
  for (const [name, value] of Object.entries(line))
    if (!KNOWN.has(name) && !isSaid(value, message))
      parts.push(paint('dim', `${name}=${clean(typeof value === 'string' ? value : JSON.stringify(value))}`))
  if (line.err?.message !== undefined) parts.push(paint('dim', `(${clean(line.err.message)})`))
  return `${parts.join('  ')}\n`
}

/** Whether the message contains the value already, so that it need not be repeated. */
const isSaid = (value: unknown, message: string) =>
  typeof value === 'string' && value.length > 2 && message.includes(clean(value))

const clean = (value: unknown): string => stripVTControlCharacters(String(value)).replace(/\p{Cc}+/gu, ' ')
