import { stripVTControlCharacters, styleText } from 'node:util'

type Line = { level?: unknown; msg?: unknown; vault?: unknown; err?: { message?: unknown }; [field: string]: unknown }

const COLOURS = { warn: 'yellow', error: 'red', fatal: 'red', debug: 'dim', trace: 'dim' } as const

// What is in every line, or is shown in a place of its own.
const KNOWN = new Set(['level', 'time', 'service', 'msg', 'vault', 'err'])

/**
 * One line of the JSON log as a person reads it: time, message, vault and the other fields. Control characters in a value
 * are left out, since anybody may have chosen a name that is logged. Pure.
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

/** Whether the message holds the value already: a person need not read it twice. */
const isSaid = (value: unknown, message: string) =>
  typeof value === 'string' && value.length > 2 && message.includes(clean(value))

const clean = (value: unknown): string => stripVTControlCharacters(String(value)).replace(/\p{Cc}+/gu, ' ')
