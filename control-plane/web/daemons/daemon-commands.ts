import type { Downloads } from '../answers.ts'

export type DaemonCommand = { id: string; name: string; intro: string; blocks: { label: string; text: string }[] }

type Start = { relayUrl: string; downloads: Pick<Downloads, 'daemon' | 'chart' | 'image'> }

const KEY_FILE = '"$HOME/.svc/daemon/relay-key"'
const VAULTS = 'Vaults are folders of Markdown files in ~/.svc/vaults; set SVC_HOME to keep them elsewhere.'
const ASKS = 'It asks for the key, so that the key stays out of the history of your shell.'

/**
 * The commands that start a daemon on a fresh machine, ready to copy. No command contains the key: it asks for the key
 * or reads a file.
 */
export function daemonCommands(start: Start): DaemonCommand[] {
  const { daemon } = start.downloads
  const byNode = daemon === null ? [fromClone(start)] : [byNpm(start, daemon), byNpx(start, daemon)]
  return [...byNode, ...inContainer(start), ...onKubernetes(start)]
}

type Packed = NonNullable<Downloads['daemon']>

function byNpm({ relayUrl }: Start, { url, file, sha256 }: Packed): DaemonCommand {
  return {
    id: 'npm',
    name: 'npm',
    intro: `For a machine with Node 24. ${VAULTS} On macOS, shasum -a 256 does what sha256sum does.`,
    blocks: [
      {
        label: 'Install',
        text: `curl -fsSLO ${url} &&\n  echo '${sha256}  ${file}' | sha256sum --check &&\n  npm install --global ./${file}`,
      },
      { label: 'Keep the key', text: `svcd login ${relayUrl}` },
      { label: 'Start', text: `SVC_RELAY_URL=${relayUrl} \\\n  SVC_RELAY_TOKEN_FILE=${KEY_FILE} svcd` },
    ],
  }
}

function byNpx({ relayUrl }: Start, { url }: Packed): DaemonCommand {
  return {
    id: 'npx',
    name: 'npx',
    intro: `The quickest way to try it, on a machine with Node 24. ${ASKS} ${VAULTS}`,
    blocks: [
      { label: 'Keep the key', text: `npx --yes ${url} login ${relayUrl}` },
      {
        label: 'Start',
        text: `SVC_RELAY_URL=${relayUrl} \\\n  SVC_RELAY_TOKEN_FILE=${KEY_FILE} \\\n  npx --yes ${url}`,
      },
    ],
  }
}

function fromClone({ relayUrl }: Start): DaemonCommand {
  return {
    id: 'clone',
    name: 'From source',
    intro: `In a clone of the repository. ${ASKS} ${VAULTS}`,
    blocks: [
      { label: 'Keep the key', text: `npm run svcd -- login ${relayUrl}` },
      { label: 'Start', text: `SVC_RELAY_URL=${relayUrl} \\\n  SVC_RELAY_TOKEN_FILE=${KEY_FILE} npm run svcd` },
    ],
  }
}

const SAVE_KEY = {
  label: 'Keep the key',
  text: '(umask 077; mkdir -p "$HOME/.svc/daemon" && cat > "$HOME/.svc/daemon/relay-key")',
}
const PASTE = 'The first command waits for the key: paste it, press Enter, then Ctrl-D.'

function inContainer({ relayUrl, downloads: { daemon, image } }: Start): DaemonCommand[] {
  const program = image ?? (daemon === null ? undefined : `node:24 npx --yes ${daemon.url}`)
  if (program === undefined) return []
  const network = isOnThisMachine(relayUrl) ? ' --network host' : ''
  return [
    {
      id: 'docker',
      name: 'Docker',
      intro: `For a machine with Docker. ${PASTE} The vaults are yours, in ~/.svc/vaults of the machine.`,
      blocks: [
        SAVE_KEY,
        {
          label: 'Start',
          text: [
            `docker run -d --name svcd --restart unless-stopped${network}`,
            '--user "$(id -u):$(id -g)" -v "$HOME/.svc:/data" -e HOME=/tmp -e SVC_HOME=/data',
            '-e SVC_LISTEN=tunnel-only -e SVC_RELAY_TOKEN_FILE=/data/daemon/relay-key',
            `-e SVC_RELAY_URL=${relayUrl}`,
            program,
          ].join(' \\\n  '),
        },
      ],
    },
  ]
}

function onKubernetes({ relayUrl, downloads: { chart, image } }: Start): DaemonCommand[] {
  if (chart === null || image === null) return []
  return [
    {
      id: 'helm',
      name: 'Kubernetes',
      intro: `For a cluster and Helm. ${PASTE} The vaults lie on a volume of their own, which uninstalling leaves.`,
      blocks: [
        SAVE_KEY,
        {
          label: 'Keep the key in the cluster',
          text: 'kubectl create secret generic svcd-relay --from-file=token="$HOME/.svc/daemon/relay-key"',
        },
        {
          label: 'Start',
          text: [
            `helm install svcd ${chart.url}`,
            ...imageValues(image).map((value) => `--set ${value}`),
            `--set relay.url=${relayUrl} --set relay.existingSecret=svcd-relay`,
          ].join(' \\\n  '),
        },
      ],
    },
  ]
}

/** Repository, tag and digest of an image reference as values of the chart. */
function imageValues(image: string): string[] {
  const [named = '', digest] = image.split('@')
  const colon = named.indexOf(':', named.lastIndexOf('/'))
  const [repository, tag] = colon < 0 ? [named] : [named.slice(0, colon), named.slice(colon + 1)]
  return [
    `image.repository=${repository}`,
    ...(tag === undefined ? [] : [`image.tag=${tag}`]),
    ...(digest === undefined ? [] : [`image.digest=${digest}`]),
  ]
}

function isOnThisMachine(relayUrl: string): boolean {
  const { hostname } = new URL(relayUrl)
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}
