/** One file that a reader opens, and what happens in it. */
export type Stop = readonly [path: string, does: string]

/** Files in the order of the calls. Within a leg, each file after the first is imported by an earlier one. */
export type Leg = { enters: string; files: readonly Stop[] }

export type Journey = {
  name: string
  /** The most files that the list may have. This number may only be lowered. */
  atMost: number
  legs: readonly Leg[]
}

const gateway = 'control-plane/src/gateway'
const tunnels = 'control-plane/src/tunnels'
const lifecycle = 'control-plane/src/organization-lifecycle'
const managed = 'control-plane/src/managed-daemons'
const operations = 'control-plane/src/operations'
const effects = 'control-plane/src/effects'
const reconciling: readonly Stop[] = [
  ['operator/src/reconciler/reconciler.ts', 'watches resources and works on one key at a time, with backoff'],
  ['operator/src/managed-daemon/reconcile.ts', 'one pass: observe, plan, apply'],
  ['operator/src/managed-daemon/observe.ts', 'reads the resource and its children'],
  ['operator/src/managed-daemon/plan.ts', 'decides what to do next (pure)'],
]

/**
 * The reading lists of docs/ARCHITECTURE.md: which files to open, in which order, to understand one journey.
 * journeys-doc.test.ts keeps them true.
 */
export const journeys: readonly Journey[] = [
  {
    name: 'Read a note through the relay',
    atMost: 30,
    legs: [
      {
        enters: 'The browser sends `GET /api/vaults/…/notes/…` to the vault origin.',
        files: [
          [`${gateway}/public-gateway.ts`, 'takes a request and forwards it to the daemon; turns failures into pages'],
          [`${gateway}/admit-request.ts`, 'finds origin and entry session; refuses requests that may not pass'],
          [
            `${gateway}/way-in.ts`,
            'the address of the page that leads a person without a session into the vault (pure)',
          ],
          [`${gateway}/public-routes.ts`, 'the paths of a daemon that browsers may call'],
          ['control-plane/src/entry/entry-sessions.ts', 'the entry session behind the cookie'],
          [
            'control-plane/src/entry/kept-assertions.ts',
            'the signed assertion of who is calling, for one daemon and vault',
          ],
          [`${gateway}/request-headers.ts`, 'the headers that pass (pure)'],
          [`${gateway}/wake-queue.ts`, 'finds the tunnel; wakes the daemon and waits if it sleeps'],
          [`${tunnels}/tunnels.ts`, 'the tunnels that this replica holds'],
          [`${gateway}/forward-request.ts`, 'sends the request, and passes the response back'],
          [`${tunnels}/daemon-pool.ts`, 'reuses streams of the tunnel'],
          [`${tunnels}/daemon-connection.ts`, 'one stream as an HTTP connection'],
          [`${tunnels}/response-parser.ts`, 'reads the head of the response'],
          [`${gateway}/response-headers.ts`, 'the headers of the response that pass (pure)'],
        ],
      },
      {
        enters: 'Both ends of the tunnel run the same multiplexer.',
        files: [
          ['shared/mux/tunnel.ts', 'all streams of one WebSocket'],
          ['shared/mux/tunnel-stream.ts', 'one stream with flow control'],
          ['shared/mux/stream-socket.ts', 'a stream as the socket of an HTTP server'],
          ['shared/mux/frame.ts', 'encodes and decodes the frames on the wire'],
        ],
      },
      {
        enters: 'The daemon takes each stream as a connection of its own HTTP server.',
        files: [
          ['daemon/src/relay/serve-tunnel.ts', 'accepts streams and marks them as relayed'],
          ['daemon/src/entry/tunnel-context.ts', 'the tunnel through which a request came'],
        ],
      },
      {
        enters: 'From here, local and relayed requests take the same path.',
        files: [
          ['daemon/src/http/http-server.ts', 'the server around every route: admission, typed failures, headers'],
          ['daemon/src/http/admission.ts', 'who is calling: this machine, or what the assertion says'],
          ['daemon/src/http/relayed-rules.ts', 'what a relayed caller may do at this route (pure)'],
          ['daemon/src/entry/caller.ts', 'the admitted caller'],
        ],
      },
      {
        enters: 'The route calls the same verb as MCP.',
        files: [
          ['daemon/src/notes/notes.routes.ts', 'the routes of notes'],
          ['daemon/src/vaults/vault-registry.ts', 'finds the vault'],
          ['daemon/src/notes/read-note.ts', 'reads and parses the note'],
          ['daemon/src/notes/stored-note.ts', 'the file of the note, its text and baseline'],
        ],
      },
    ],
  },
  {
    name: 'Save a note',
    atMost: 14,
    legs: [
      {
        enters: '`PUT /api/vaults/…/notes/…` with the baseline that was read.',
        files: [
          ['daemon/src/notes/notes.routes.ts', 'the routes of notes'],
          ['daemon/src/notes/save-note.ts', 'checks the baseline, writes the text'],
          ['daemon/src/notes/write-note.ts', 'the only writer of notes: stage, compare, replace'],
          ['daemon/src/notes/stored-note.ts', 'the note as it is now'],
          ['daemon/src/files/baseline.ts', 'the hash that names a state of a note (pure)'],
          ['daemon/src/files/stage-file.ts', 'a temporary file, synced'],
          ['daemon/src/vaults/put-file.ts', 'replaces the file under the rules of the vault'],
          ['daemon/src/vaults/change-vault.ts', 'audit entry first, then the change, then the event'],
          ['daemon/src/vaults/vault.ts', 'what an open vault offers to its verbs'],
          ['daemon/src/files/path-queue.ts', 'one change of a path at a time'],
          ['daemon/src/audit/audit-log.ts', 'the durable record of changes'],
          ['daemon/src/vaults/vault-change.ts', 'the event that search, links and history follow'],
        ],
      },
    ],
  },
  {
    name: 'Create a hosted organization',
    atMost: 32,
    legs: [
      {
        enters: '`POST /api/provisioning/orgs/cloud-hosted/comped`.',
        files: [
          [`${lifecycle}/organization-lifecycle.routes.ts`, 'the route'],
          ['control-plane/src/http/guards.ts', 'who may call it'],
          [`${lifecycle}/provision-organization.ts`, 'organization, entitlement and lease in one transaction'],
          ['control-plane/src/organizations/create-organization.ts', 'the organization and its first admin'],
          ['control-plane/src/organizations/organizations.repository.ts', 'the rows of organizations and members'],
        ],
      },
      {
        enters: 'A job takes the next steps for the daemon. It runs again after each change.',
        files: [
          [`${lifecycle}/organization-lifecycle.domain.ts`, 'composes the route and the job'],
          [`${managed}/managed-daemons.domain.ts`, 'entitlement and lease of a hosted daemon'],
          [`${managed}/entitlements.repository.ts`, 'the row that says who may have a daemon'],
          [`${managed}/managed-daemons.repository.ts`, 'the lease: what remains to be done for the daemon'],
          ['control-plane/src/jobs/jobs.ts', 'wakes the job'],
          [`${lifecycle}/settle-daemon.ts`, 'takes one step after another until nothing is left to do'],
          [`${lifecycle}/decide-daemon-step.ts`, 'which step is next (pure)'],
          [`${managed}/new-daemon-spec.ts`, 'the spec of the new resource'],
          [`${lifecycle}/follow-daemons.ts`, 'watches the resource and wakes the job at each change'],
        ],
      },
      {
        enters: 'The operator sees the new resource.',
        files: [
          ...reconciling,
          ['operator/src/managed-daemon/facts.ts', 'copies the observed facts into the status'],
          ['operator/src/managed-daemon/plan-volume.ts', 'the volume'],
          ['operator/src/managed-daemon/plan-keys.ts', 'the relay key, until the control plane has accepted its hash'],
          ['operator/src/managed-daemon/plan-workload.ts', 'the process, once volume and key are there'],
          ['operator/src/managed-daemon/plan-outcome.ts', 'records in the status what became of the operation'],
          ['operator/src/managed-daemon/conditions.ts', 'the conditions of the status'],
          ['operator/src/managed-daemon/apply.ts', 'executes the plan; the only writer of children and status'],
          ['operator/src/runtime/runtime.ts', 'the interface of both runtimes'],
        ],
      },
      {
        enters: 'On Kubernetes a daemon is a StatefulSet.',
        files: [
          ['operator/src/runtime/kubernetes/kubernetes.ts', 'the runtime over an API server'],
          ['operator/src/runtime/kubernetes/kubernetes-steps.ts', 'each step as an object to apply'],
          ['operator/src/managed-daemon/children.ts', 'the objects (pure)'],
          ['operator/src/managed-daemon/pod-template.ts', 'the pod in which svcd runs (pure)'],
        ],
      },
    ],
  },
  {
    name: 'Roll the image of a managed daemon',
    atMost: 28,
    legs: [
      {
        enters: '`POST /api/admin/managed-daemons/…/image` with an operation id.',
        files: [
          [`${effects}/image-roll.routes.ts`, 'the route, for system admins and automation'],
          [`${operations}/run-operation.ts`, 'finds or makes the operation, once per id'],
          [`${operations}/decide-operation.ts`, 'execute, return, in progress or refuse (pure)'],
          [`${operations}/operations.repository.ts`, 'claims and outcomes'],
          [`${operations}/operation.ts`, 'the types of an operation and its record'],
          [`${operations}/operation-changes.ts`, 'notifies waiting requests of an outcome'],
          [`${effects}/hosted-organization.ts`, 'admits hosted organizations only'],
        ],
      },
      {
        enters: 'A worker executes it.',
        files: [
          [`${operations}/operations.domain.ts`, 'engine, worker and routes'],
          [`${operations}/background-executions.ts`, 'executes the operations that it is woken for'],
          [`${operations}/operation-engine.ts`, 'composes the engine'],
          [`${operations}/execute-operation.ts`, 'claim, effect, outcome; nothing is executed twice'],
          [`${operations}/outcome.ts`, 'succeeded, retryable or failed'],
        ],
      },
      {
        enters: 'The effect patches the resource and waits for its status.',
        files: [
          [`${effects}/roll-image.ts`, 'the effect'],
          [`${effects}/spec-effect.ts`, 'an effect that patches the spec and waits'],
          [`${effects}/patch-daemon.ts`, 'one patch, under the resource version that was read'],
          [`${effects}/plan-patch.ts`, 'what to patch, if anything (pure)'],
          [`${effects}/marker.ts`, 'what the marker in the status proves about an operation (pure)'],
          [`${managed}/daemon-waiter.ts`, 'waits until the status meets a condition'],
        ],
      },
      {
        enters: 'The operator replaces the pod.',
        files: [
          ...reconciling,
          ['operator/src/managed-daemon/plan-workload.ts', 'the new image'],
          ['operator/src/managed-daemon/plan-outcome.ts', 'records in the status what became of the operation'],
          ['operator/src/managed-daemon/conditions.ts', 'image and operation in the status'],
          ['operator/src/managed-daemon/apply.ts', 'executes the plan'],
        ],
      },
    ],
  },
  {
    name: 'A daemon dials in',
    atMost: 17,
    legs: [
      {
        enters: 'svcd starts with a relay address and a key.',
        files: [
          ['daemon/src/relay/dial-relay.ts', 'connects, and connects again after each break'],
          ['daemon/src/relay/dial-state.ts', 'its states and the delays between attempts (pure)'],
          ['daemon/src/relay/relay-key.ts', 'the key, from the environment or a file that changes'],
          ['daemon/src/relay/open-relay-socket.ts', 'opens the WebSocket, through a proxy if there is one'],
          ['daemon/src/relay/serve-tunnel.ts', 'greets the relay and accepts streams'],
          ['shared/mux/tunnel.ts', 'all streams of one WebSocket'],
        ],
      },
      {
        enters: 'The relay takes the upgrade.',
        files: [
          [`${tunnels}/tunnel-gateway.ts`, 'the listener that daemons dial'],
          [`${tunnels}/admit-tunnel.ts`, 'checks the key, the limits and the generation'],
          [`${tunnels}/accept-budget.ts`, 'how many tunnels this replica accepts per second'],
          [`${tunnels}/wrong-key-limit.ts`, 'limits attempts with wrong keys'],
          [
            'control-plane/src/daemon-keys/tunnel-keys.ts',
            'who may open a tunnel with a key, and which tunnels must close',
          ],
          [`${tunnels}/tunnel-handshake.ts`, 'the hello of both sides'],
          [`${tunnels}/tunnels.ts`, 'the tunnels that this replica holds'],
          [`${tunnels}/retire-tunnel.ts`, 'replaces an older tunnel without losing requests'],
          ['control-plane/src/replicas/publish-tunnels.ts', 'tells the other replicas which tunnels this one holds'],
        ],
      },
    ],
  },
  {
    name: 'An agent edits a note (edit_note)',
    atMost: 15,
    legs: [
      {
        enters: 'The client calls the tool over MCP.',
        files: [
          ['daemon/src/mcp/mcp.routes.ts', 'the MCP endpoint'],
          ['daemon/src/mcp/tool.ts', 'checks arguments and rights; failures become tool errors'],
          ['daemon/src/mcp/tool-caller.ts', 'who calls the tool, and what that caller may do'],
        ],
      },
      {
        enters: 'The tool calls the same verb as REST.',
        files: [
          ['daemon/src/mcp/tools/edit-note.tool.ts', 'the tool'],
          ['daemon/src/notes/edit-note.ts', 'the verb: one change of one passage'],
          [
            'daemon/src/edits/decide-edit.ts',
            'applies the edits to the current note, rebased if needed, or fails (pure)',
          ],
          ['daemon/src/edits/plan-edits.ts', 'where each edit applies'],
          ['daemon/src/edits/anchors.ts', 'finds the passage, or says how often it matches (pure)'],
          ['daemon/src/edits/rebase-edits.ts', 'carries edits over to a newer text'],
          ['daemon/src/notes/recent-versions.ts', 'the texts of baselines that agents may still use'],
          ['daemon/src/notes/write-note.ts', 'writes the note, or changes it where it is open for live editing'],
          ['daemon/src/vaults/put-file.ts', 'replaces the file under the rules of the vault'],
          ['daemon/src/vaults/change-vault.ts', 'audit entry first, then the change, then the event'],
        ],
      },
    ],
  },
]
