import { expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
import { decideStart, type StartFacts } from './decide-start.ts'

const dataDir = '/home/ada/svc/.data'
const id = 'ins_aaaaaaaaaaaa'
const database = { id, folder: `${dataDir}/postgres-${id}`, dataDir, owner: 'this' as const }
const elsewhere = { ...database, folder: `/var/lib/svc-platform/${id}` }
const whole: StartFacts = {
  dataDir,
  record: { id, database: 'made' },
  secrets: 'present',
  daemons: 'present',
  databases: [database],
  legacy: undefined,
  places: [database.folder, elsewhere.folder],
}
const nothing: StartFacts = {
  ...whole,
  record: undefined,
  secrets: 'absent',
  daemons: 'absent',
  databases: [],
  places: [],
}

test.each<[string, Partial<StartFacts>, ReturnType<typeof decideStart>]>([
  ['goes on with its database', whole, { kind: 'open', folder: database.folder }],
  [
    'goes on after a move: the database names a data folder that is gone',
    { ...whole, databases: [{ ...elsewhere, dataDir: '/old/.data', owner: 'gone' }] },
    { kind: 'open', folder: elsewhere.folder },
  ],
  ['begins where there is nothing', nothing, { kind: 'begin' }],
  ['begins where only secrets were made', { ...nothing, secrets: 'present' }, { kind: 'begin' }],
  [
    'continues a first start that ended before its database was made',
    { ...whole, record: { id, database: 'none' }, daemons: 'absent', databases: [] },
    { kind: 'begin' },
  ],
  [
    'begins beside databases of others',
    { ...nothing, databases: [{ ...elsewhere, dataDir: '/srv/other/.data', owner: 'other' }] },
    { kind: 'begin' },
  ],
  [
    'takes over the layout of an older version',
    { ...nothing, secrets: 'present', daemons: 'present', legacy: { folder: `${dataDir}/postgres`, id: undefined } },
    { kind: 'migrate', from: `${dataDir}/postgres` },
  ],
  [
    'continues an interrupted migration',
    { ...whole, databases: [], legacy: { folder: `${dataDir}/postgres`, id } },
    { kind: 'migrate', from: `${dataDir}/postgres` },
  ],
])('%s', (_, facts, decision) => {
  verifies('embedded.installation')
  expect(decideStart({ ...nothing, ...facts })).toEqual(decision)
})

test.each<[string, StartFacts, string[]]>([
  [
    'a database that is gone',
    { ...whole, databases: [] },
    [id, database.folder, elsewhere.folder, '--reset', 'restore'],
  ],
  [
    'a database that is gone, while another has lost its data folder',
    { ...whole, databases: [{ ...elsewhere, id: 'ins_bbbbbbbbbbbb', dataDir: '/old', owner: 'gone' }] },
    ['ins_bbbbbbbbbbbb', '--adopt', '--reset'],
  ],
  ['a data folder that is gone', { ...nothing, databases: [elsewhere] }, [id, elsewhere.folder, '--adopt', '--reset']],
  ['vaults without any database', { ...nothing, daemons: 'present' }, ['vaults', '--reset', 'restore']],
  [
    'a copy of an installation that is still there',
    { ...whole, databases: [{ ...elsewhere, dataDir: '/srv/first/.data', owner: 'other' }] },
    ['copy', '/srv/first/.data', '--adopt', 'backup', '--reset'],
  ],
  ['two databases of one installation', { ...whole, databases: [database, elsewhere] }, ['two databases']],
  ['missing secrets', { ...whole, secrets: 'absent' }, ['secrets.json is missing', '--adopt', '--reset']],
  ['secrets of another', { ...whole, secrets: 'differ' }, ['does not belong', '--adopt', '--reset']],
  [
    'an older database whose secrets are gone',
    { ...nothing, legacy: { folder: `${dataDir}/postgres`, id: undefined } },
    ['secrets.json', `${dataDir}/postgres`, '--reset'],
  ],
])('%s: refused in one line that says what to do', (_, facts, words) => {
  verifies('embedded.no-silent-loss')
  const decision = decideStart(facts)
  const message = decision.kind === 'refuse' ? decision.message : decision.kind
  for (const word of words) expect(message).toContain(word)
  expect(message).not.toContain('\n')
})
