import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A command that a text shows, as its words. */
export type ShownCommand = { file: string; words: string[] }

type Manifest = { scripts?: Record<string, string>; name?: string; bin?: Record<string, string> }
type Lock = { packages: Record<string, Manifest> }

/** The part of npm's command line that this check understands: `npm run NAME [--workspace W]`, `npm start`, `npx …`. */
const NPM = /\bnpm (?:run(?: --?s(?:ilent)?)? [a-z][\w:-]*(?: --workspace [@\w/-]+)?|start|test)\b|\bnpx \S+(?: \S+)?/g

/** Programs that a reader has or is told to install. Packages that npx would download are not among them. */
const TOOLS = new Set([
  '.',
  'buildah',
  'cd',
  'chmod',
  'debootstrap',
  'docker',
  'go',
  'helm',
  'kube-controller-manager',
  'kubectl',
  'oc',
  'set',
])

function withoutAssignments(words: string[]): string[] {
  const program = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  return program === -1 ? [] : words.slice(program)
}

/** The simple commands of a shell text; comments, assignments and redirections are left out. */
export function simpleCommands(shell: string): string[][] {
  return shell
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .split(/\n|&&|\|\||[;|]|\$\(/)
    .map((part) =>
      part
        .trim()
        .split(/\s+/)
        .filter((word) => word !== ''),
    )
    .map(withoutAssignments)
    .filter((words) => words.length > 0)
}

/** The commands of a Markdown page: shell blocks, indented blocks, and inline code that starts as a command. */
export function commandsOfPage(file: string, text: string): ShownCommand[] {
  const blocks = [...text.matchAll(/^```(?:sh|bash|shell|console)\n([\s\S]*?)^```/gm)].map(([, shell = '']) => shell)
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '')
  const indented = [...prose.matchAll(/(?<=\n\n)(?: {4}\S.*\n?)+/g)].map(([shell]) => shell)
  const inline = [...prose.matchAll(/`((?:npm|npx|node|svcd|svc-admin) [^`]+)`/g)].map(([, shell = '']) => shell)
  return [...blocks, ...indented, ...inline].flatMap((shell) => simpleCommands(shell)).map((words) => ({ file, words }))
}

/** The npm commands that any other file names, in comments, messages and help. */
export function commandsOfSource(file: string, text: string): ShownCommand[] {
  return [...text.matchAll(NPM)].map(([command]) => ({ file, words: command.replaceAll(/[.,:`'"]+$/g, '').split(' ') }))
}

/**
 * The problem with a shown command: it refers to something that this repository does not have, or could download a
 * stranger's package.
 */
export function commandCheck(root: string) {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest & Lock
  const { packages } = read('package-lock.json')
  const workspaces = Object.entries(packages).filter(([path, { name }]) => !path.includes('node_modules') && name)
  const ours = new Set(workspaces.flatMap(([, { bin }]) => Object.keys(bin ?? {})))
  const linked = new Set(
    Object.entries(packages)
      .filter(([path]) => path.lastIndexOf('node_modules/') <= 0)
      .flatMap(([, { bin }]) => Object.keys(bin ?? {})),
  )
  const scriptsOf = (workspace: string | undefined) => {
    if (workspace === undefined) return read('package.json').scripts ?? {}
    const found = workspaces.find(([path, { name }]) => name === workspace || path === workspace)
    return found ? (read(`${found[0]}/package.json`).scripts ?? {}) : {}
  }

  const npmProblem = ([verb = '', ...rest]: string[]) => {
    if (verb === 'ci' || verb === 'install') return rest.length > 0 ? 'installs more than the lock file has' : undefined
    if (verb !== 'run') return scriptsOf(undefined)[verb] === undefined ? `there is no script ${verb}` : undefined
    const [name = '', option, workspace] = rest.filter((word) => word !== '-s' && word !== '--silent')
    const scripts = scriptsOf(option === '--workspace' ? workspace : undefined)
    return scripts[name] === undefined ? `there is no script ${name}` : undefined
  }

  return ({ file, words: [program = '', ...rest] }: ShownCommand): string | undefined => {
    if (program === 'npm') return npmProblem(rest)
    if (program === 'npx') {
      if (rest[0] !== '--no') return 'npx without --no fetches a package that is not installed'
      return linked.has(rest[1] ?? '') ? undefined : `no installed package has a program ${rest[1]}`
    }
    if (ours.has(program)) return `a shell does not find it: npm run ${program} -- …`
    if (program === 'docker' && rest[0] === 'run' && !rest.join(' ').includes('--pull never'))
      return 'docker run without --pull never asks a registry for our image'
    if (program === 'node' || program.includes('/')) {
      const path = program === 'node' ? (rest.find((word) => !word.startsWith('-')) ?? '') : program
      const found = [root, join(root, dirname(file))].some((folder) => existsSync(join(folder, path)))
      return found ? undefined : `there is no file ${path}`
    }
    return TOOLS.has(program) ? undefined : `${program} is neither of this repository nor a known tool`
  }
}
