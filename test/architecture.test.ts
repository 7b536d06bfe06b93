import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { buildings } from './floors.ts'
import { verifies } from './requirements.ts'
import { needless, upward, withoutFloor } from './support/floor-check.ts'
import { pureFiles, saidPure, wayToEffect } from './support/purity.ts'
import {
  codeOf,
  files,
  folderOf,
  imports,
  nameOf,
  offenders,
  partOf,
  root,
  shown,
  sources,
  textOf,
} from './support/source-imports.ts'

test('shared imports only zod, pino and Node; its primitives of the two web apps also React, its diagram page Mermaid', () => {
  verifies('house.imports')
  const isDesign = (from: string) => from.startsWith('shared/design/')
  expect(
    offenders(
      ({ from, to }) =>
        partOf(from) === 'shared' &&
        !to.startsWith('shared/') &&
        !/^(zod|pino|node:.+)$/.test(to) &&
        !(isDesign(from) && to === 'react') &&
        !(from.startsWith('shared/diagram/') && to === 'mermaid'),
    ),
  ).toEqual([])
})

test('kube imports only shared, the Kubernetes client and its HTTP client', () => {
  expect(
    offenders(
      ({ from, to }) =>
        partOf(from) === 'kube' &&
        !/^(kube|shared)\//.test(to) &&
        !/^(@kubernetes\/client-node|undici|node:.+)$/.test(to),
    ),
  ).toEqual([])
})

test('the three parts never import one another; embedded alone composes them', () => {
  expect(
    offenders(({ from, to }) => {
      const [mine, other] = [partOf(from), partOf(to)]
      if (other === 'kube') return mine === 'shared' || mine === 'daemon'
      return other !== undefined && mine !== other && other !== 'shared' && mine !== 'embedded'
    }),
  ).toEqual([])
  expect(offenders(({ from, to }) => partOf(from) !== 'embedded' && partOf(to) === 'embedded')).toEqual([])
})

test('routes and repositories are reached only from their own domain, composition roots apart', () => {
  const roots = /\/(app|main|compose-\w+)\.ts$/
  expect(
    offenders(({ from, to, typeOnly }) => {
      if (typeOnly || !/\.(routes|repository)\.ts$/.test(to) || partOf(from) === 'embedded') return false
      return folderOf(from) !== folderOf(to) && !roots.test(from)
    }),
  ).toEqual([])
})

test('nothing imports main, and only main imports app', () => {
  expect(offenders(({ to, from }) => nameOf(to) === 'main.ts' && partOf(from) !== 'embedded')).toEqual([])
  expect(
    offenders(
      ({ from, to, typeOnly }) =>
        !typeOnly &&
        nameOf(to) === 'app.ts' &&
        !/^(main|app|start-\w+)\.ts$/.test(nameOf(from)) &&
        partOf(from) !== 'embedded',
    ),
  ).toEqual([])
})

describe.each(buildings)('the floors of $root', (building) => {
  test('every folder has a floor', () => expect(withoutFloor(building)).toEqual([]))

  test('no import leads to a higher floor, not even of types', () => {
    verifies('house.floors')
    expect(shown(upward(building))).toEqual([])
  })

  test('every exception from the floors is still needed', () => expect(needless(building)).toEqual([]))
})

test('pure files reach no effect, not through what they import either', () => {
  verifies('house.purity')
  expect(pureFiles.map(wayToEffect).filter((way) => way !== undefined)).toEqual([])
})

test('every file that says it is pure has a test beside it', () => {
  verifies('house.purity')
  expect(saidPure.filter((path) => !files.includes(path.replace(/\.tsx?$/, '.test.ts')))).toEqual([])
})

/** Files in which a pattern stands, comments left out. */
const using = (pattern: RegExp, allowed: RegExp) =>
  sources.filter((path) => !allowed.test(path)).filter((path) => pattern.test(codeOf(path)))

test('the environment is read in config files alone', () => {
  expect(using(/process\.env\b/, /(^|\/)(config|vite\.config)\.ts$/)).toEqual([])
})

test('the daemon opens files in files/ alone, where links and FIFOs are refused', () => {
  verifies('security.regular-files')
  const opens =
    /import\s*\{[^}]*\b(?:open|openSync|readFile|readFileSync|createReadStream|createWriteStream|writeFile|appendFile|copyFile)\b[^}]*\}\s*from\s*'node:fs(?:\/promises)?'/
  // The kernel's own files, the built UI and the package itself are not anybody's to replace.
  const own = /^daemon\/(?:src\/files\/|src\/(?:config|http\/static-ui|home\/process-identity|home\/prepare-home)\.ts$)/
  expect(using(opens, own).filter((path) => path.startsWith('daemon/src/'))).toEqual([])
})

test('the wall clock is read in kit/clock alone; browsers have their own', () => {
  expect(using(/Date\.now\(\)|new Date\(\)/, /kit\/clock\.ts$|\/(ui|web)\//)).toEqual([])
})

test('only repositories and migrations contain SQL', () => {
  expect(
    using(
      /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/,
      /\.repository\.ts$|\/migrations\/|managed-daemon-table\.ts$/,
    ),
  ).toEqual([])
})

test('the Kubernetes client library is used in kube alone', () => {
  expect(offenders(({ from, to }) => to.startsWith('@kubernetes/') && partOf(from) !== 'kube')).toEqual([])
})

test('there are no cycles, not even of types', () => {
  const graph = new Map(sources.map((path) => [path, [] as string[]]))
  for (const { from, to } of imports) if (graph.has(to)) graph.get(from)?.push(to)

  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: string[]) => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  expect(cycles).toEqual([])
})

test('no rooms named after nothing, no index files, no two files of one name in a part', () => {
  expect(files.filter((path) => /(^|\/)(utils?|helpers?|common|misc|lib|types)(\/|\.tsx?$)/.test(path))).toEqual([])
  expect(files.filter((path) => /(^|\/)index\.tsx?$/.test(path))).toEqual([])

  const places = Map.groupBy(sources, (path) => {
    const area = /^(daemon\/ui|control-plane\/web)\//.exec(path)?.[1] ?? partOf(path)
    return `${area}: ${nameOf(path)}`
  })
  const twice = [...places].filter(([, paths]) => paths.length > 1).map(([, paths]) => paths.join(' and '))
  expect(twice).toEqual([])
})

test('every folder fits on a screen', () => {
  const counted = sources.filter((path) => !/\/migrations\//.test(path))
  const large = [...Map.groupBy(counted, folderOf)].filter(([, paths]) => paths.length > 25)
  expect(large.map(([folder, paths]) => `${folder}: ${paths.length}`)).toEqual([])
})

test('no two files of a part differ by an s', () => {
  const stems = new Map(sources.map((path) => [`${partOf(path)}: ${nameOf(path).replace(/\.tsx?$/, '')}`, path]))
  const pairs = [...stems]
    .filter(([stem]) => stems.has(`${stem}s`))
    .map(([stem, path]) => [path, stems.get(`${stem}s`)])
  expect(pairs).toEqual([])
})

test('few places turn the formatter off', () => {
  const everything = globSync(
    '{shared,daemon,control-plane,operator,kube,embedded,test,bench,setup}/**/*.{ts,tsx,mjs}',
    {
      cwd: root,
      exclude: (path) => /node_modules|(^|\/)dist(\/|$)/.test(path),
    },
  )
  const exceptions = everything.flatMap((path) => textOf(path).match(/\/\/ prettier-ignore$/gm) ?? [])
  expect(exceptions.length).toBeLessThan(30)
})

test('files are small: median, 90th percentile and largest', () => {
  verifies('house.sizes')
  const counted = sources.filter((path) => !/\/migrations\//.test(path))
  const lines = counted.map((path) => [textOf(path).split('\n').length - 1, path] as const)
  const sorted = lines.toSorted(([a], [b]) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]?.[0] ?? 0
  console.log(`source files: ${sorted.length}, lines: median ${at(0.5)}, p90 ${at(0.9)}, largest ${at(1)}`)

  expect(at(0.5)).toBeLessThanOrEqual(100)
  expect(at(0.9)).toBeLessThanOrEqual(200)
  const reasonless = lines.filter(([count, path]) => count > 250 && !/^\s*(\/\/|\/\*)/.test(textOf(path)))
  expect(reasonless.map(([count, path]) => `${path}: ${count}`)).toEqual([])
})

test('a URL of a file becomes a path by fileURLToPath, so that a clone may lie under any path', () => {
  const all = globSync(
    '{shared,daemon,control-plane,operator,kube,embedded,test,bench,setup,charts}/**/*.{ts,tsx,mjs}',
    {
      cwd: root,
      exclude: (path) => /node_modules|(^|\/)dist(\/|$)/.test(path),
    },
  )
  const wrong = all.filter((path) => {
    const text = textOf(path)
    const named = [...text.matchAll(/const (\w+) = new URL\([^()]*, import\.meta\.url\)$/gm)].map(([, name]) => name)
    return /import\.meta\.url\)\.pathname/.test(text) || named.some((name) => text.includes(`${name}.pathname`))
  })
  expect(wrong).toEqual([])
})

test('browser tests switch interception off by intercept alone: Chromium can lose a request while Playwright does it', () => {
  const tests = globSync('test/{browser,long,support}/*.ts', { cwd: root })
  expect(tests.length).toBeGreaterThan(100)
  expect(tests.filter((path) => /\.unroute(All)?\(|\{ times: /.test(textOf(path)))).toEqual([])
})
