import { parseArgs } from 'node:util'
import { readEmbeddedConfig } from './config.ts'
import { WrongUse } from './installation/refusal.ts'

/** Arguments of `npm run backup` and `npm run restore`. */
export function readBackupCommand(args: string[]) {
  const options = { data: { type: 'string' }, force: { type: 'boolean' }, help: { type: 'boolean' } } as const
  const { values, positionals } = parsed(() => parseArgs({ args, options, strict: true, allowPositionals: true }))
  const [file, ...more] = positionals
  const asked = values.help ? ('help' as const) : ('work' as const)
  if (asked === 'work' && (file === undefined || more.length > 0))
    throw new WrongUse('Name one FILE. --help shows what there is.')
  return { asked, file: file ?? '', force: values.force === true, ...dataOf(values.data) }
}

/** Arguments of `npm run state`. */
export function readStateCommand(args: string[]) {
  const options = { data: { type: 'string' }, yes: { type: 'boolean' }, help: { type: 'boolean' } } as const
  const { values, positionals } = parsed(() => parseArgs({ args, options, strict: true, allowPositionals: true }))
  const [verb, name, ...more] = positionals
  const sure = values.yes === true
  const { dataDir } = dataOf(values.data)
  if (values.help) return { asked: 'help' as const }
  if (verb === undefined) return { asked: 'list' as const, dataDir }
  if (verb === 'remove' && name !== undefined && more.length === 0)
    return { asked: 'remove' as const, name, sure, dataDir }
  throw new WrongUse('Wrong arguments. --help shows what there is.')
}

function dataOf(data: string | undefined) {
  const { dataDir, databaseUrl } = readEmbeddedConfig(data === undefined ? [] : ['--data', data])
  return { dataDir, databaseUrl }
}

function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new WrongUse(`${(error as Error).message} --help shows what there is.`)
  }
}
