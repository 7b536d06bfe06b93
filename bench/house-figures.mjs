// Figures of the source tree at commits: node bench/house-figures.mjs COMMIT... Counts sources without tests,
// migrations and generated files. A journey is the set of files that its first files import as values, directly or
// indirectly. Files about the wire, kit, tables and configuration are left out, because a reader of the journey knows
// them.
import { execFileSync } from 'node:child_process'
import { dirname, join, normalize } from 'node:path'

const MAX_BYTES = 1e9
const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm
const KNOWN = /^shared\/(wire|kit)\/|\/db\/|config\.ts$/
const journeys = {
  'read through the relay':
    /(relay|gateway)\/public-gateway|relay\/serve-tunnel|daemon\/src\/http\/http-server|\/read-note\.ts/,
  save: /notes\/save-note|notes\/write-note|vaults\/change-vault/,
  'hosted creation':
    /\/provision-organization\.ts|\/settle-(organization|daemon)\.ts|operator\/src\/(managed-daemon\/reconcile|reconciler\/reconciler)\.ts/,
  'image roll':
    /\/image-roll\.routes|\/roll-image\.ts|\/run-operation|\/execute-operation|operator\/src\/managed-daemon\/reconcile\.ts/,
  'dial-in': /(relay|tunnels)\/tunnel-gateway|\/admit-tunnel|relay\/dial-relay/,
  edit_note: /\/edit-note\.tool|notes\/edit-note|notes\/write-note/,
}

function sourcesAt(commit) {
  const listed = execFileSync('git', ['ls-tree', '-r', '--name-only', commit], {
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  })
  const paths = listed
    .split('\n')
    .filter((path) => /^(shared|kube|daemon|control-plane|operator|embedded)\/.*\.tsx?$/.test(path))
    .filter((path) => !/\.test\.tsx?$|\/migrations\//.test(path))
  const input = paths.map((path) => `${commit}:${path}\n`).join('')
  const output = execFileSync('git', ['cat-file', '--batch'], { input, maxBuffer: MAX_BYTES })
  const texts = new Map()
  let at = 0
  for (const path of paths) {
    const start = output.indexOf('\n', at) + 1
    const end = start + Number(output.toString('latin1', at, start).split(' ')[2])
    const text = output.toString('utf8', start, end)
    if (!text.startsWith('// Generated ')) texts.set(path, text)
    at = end + 1
  }
  return texts
}

function importsOf(texts, path) {
  return [...texts.get(path).matchAll(IMPORT)].flatMap(([, type, specifier]) => {
    const target = specifier.startsWith('@svc/')
      ? specifier.slice('@svc/'.length)
      : normalize(join(dirname(path), specifier))
    return texts.has(target) ? [{ target, isType: type !== undefined }] : []
  })
}

function filesOfJourney(texts, first) {
  const seen = new Set()
  const left = [...texts.keys()].filter((path) => first.test(path))
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (seen.has(path) || KNOWN.test(path)) continue
    seen.add(path)
    for (const { target, isType } of importsOf(texts, path)) if (!isType) left.push(target)
  }
  return seen.size
}

function figuresOf(texts) {
  const lines = [...texts.values()].map((text) => text.split('\n').length - 1).toSorted((a, b) => a - b)
  const folders = [...Map.groupBy(texts.keys(), (path) => dirname(path)).values()].map((paths) => paths.length)
  const arrows = new Set()
  for (const path of texts.keys())
    for (const { target } of importsOf(texts, path))
      if (dirname(target) !== dirname(path)) arrows.add(`${dirname(path)} → ${dirname(target)}`)
  const share = (of) => lines[Math.floor((lines.length - 1) * of)]
  return {
    files: lines.length,
    folders: folders.length,
    'files in the largest folder': Math.max(...folders),
    'folders of more than 25 files': folders.filter((count) => count > 25).length,
    'lines, median': share(0.5),
    'lines, 90th percentile': share(0.9),
    'lines, largest': share(1),
    'files over 250 lines': lines.filter((count) => count > 250).length,
    'files under 10 lines': lines.filter((count) => count < 10).length,
    'arrows between folders': arrows.size,
    'arrows per folder': Number((arrows.size / folders.length).toFixed(1)),
  }
}

const commits = process.argv.slice(2)
if (commits.length === 0 || commits.includes('--help')) {
  console.log('usage: node bench/house-figures.mjs COMMIT...')
} else {
  const columns = commits.map((commit) => {
    const texts = sourcesAt(commit)
    const opened = Object.entries(journeys).map(([name, first]) => [`files of: ${name}`, filesOfJourney(texts, first)])
    return { ...figuresOf(texts), ...Object.fromEntries(opened) }
  })
  console.log(`| | ${commits.join(' | ')} |\n| - |${commits.map(() => ' -: |').join('')}`)
  for (const name of Object.keys(columns[0]))
    console.log(`| ${name} | ${columns.map((column) => column[name]).join(' | ')} |`)
}
