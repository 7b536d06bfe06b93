/** A rule of the service interface (`spec`), of the contract that completes it, or of the security decisions. */
export type Requirement = { rule: string; source: string }

const rules = (source: string, entries: Record<string, string>) =>
  Object.fromEntries(Object.entries(entries).map(([id, rule]) => [id, { rule, source }]))

/** Every rule by id. Tests cite ids with `verifies(...)`; requirements.test.ts lists what is not cited yet. */
export const requirements: Record<string, Requirement> = {
  ...rules('spec 1', {
    'service.one-port': 'One daemon process serves web UI, REST and MCP on one port.',
    'service.no-note-crud': 'The control plane has no note routes and no vault table of its own.',
    'service.local-only': 'Without relay variables the daemon runs alone: no account, no login layer.',
    'service.self-hosted-outbound': 'A self-hosted daemon dials out; no inbound public port is needed.',
    'service.mode-fixed': 'Daemon mode is chosen at creation; a hosted organization never becomes self-hosted.',
    'service.history': 'Note history is version-controlled, best effort, and never blocks a write.',
    'service.mcp-worker-optional': 'Control-plane MCP runs only where the operator enabled it.',
  }),
  ...rules('spec 2', {
    'organization.id-prefix': 'Organization ids begin with org_.',
    'organization.roles': 'Only the roles admin and member exist.',
    'daemon-key.prefix': 'Daemon keys begin with svc_dmn_.',
    'daemon-key.plaintext-once':
      'The plaintext is answered only when issued, rotated or registered; later reads are masked.',
    'daemon-key.hash-only': 'The control plane stores only the hash of a key.',
    'daemon-key.scope': 'A key is scoped to one daemon and one organization.',
    'vault.id-is-directory': 'A vault id equals its directory name.',
    'vault.layout': 'A new vault has .svc/vault.json, .svc/folders.yml, README.md, notes/ and starter notes.',
    'vault.child-directories': 'Each immediate child directory of vaults/ is one vault.',
    'vault.duplicate-identity': 'Two directories with one identity prevent startup; both are named.',
    'vault.demo': 'First boot without a vault makes demo-vault.',
    'vault.soft-delete': 'Removed notes may stay in .svc/trash.',
    'daemon.status-file': 'Daemon state lives under SVC_HOME/daemon and includes status.json.',
    'operation.bound': 'An operationId is bound to actor, target, reason, action and parameters.',
    'operation.confirmation': 'Operations need the exact org slug, the image route the exact org id.',
    'health.daemon': 'GET /api/health answers ok, service svcd, serviceName, svcHome, statusFile.',
    'relay.status': 'GET /api/relay/status answers the four booleans.',
    'flush.result': 'Flush answers ok, flushed and durableAsOf in ISO 8601 UTC.',
    'config.defaults': 'Host 127.0.0.1, port 7382, home ~/.svc, service name svcd.',
    'config.relay-pair': 'Exactly one relay variable is a configuration error; the daemon exits.',
    'config.no-home': 'A user without a home folder and without SVC_HOME is told to set it; exit 78.',
    'config.startup-line': 'On startup one line names address, home and status file.',
  }),
  ...rules('spec 3', {
    'hosted.reaches-running': 'An image roll shows running as reached state.',
    'operation.success-replayed': 'A completed operation answers its recorded success again.',
    'operation.in-progress': 'An executing operation without marker answers operation_in_progress and is not repeated.',
    'operation.reconciled': 'An executing request with the matching runtime marker is reconciled to the outcome.',
    'operation.retryable': 'A temporary failure answers operation_retryable and may be retried with the same id.',
    'operation.failed': 'A permanent failure answers operation_failed, terminally.',
    'claim.timestamp': 'A claim carries a 10-minute diagnostic timestamp.',
    'claim.never-stolen': 'Claims are never stolen automatically.',
    'claim.recovery': 'Recovery deletes only an expired claim whose owner equals expectedOwner.',
    'claim.grant-blocks': 'An active grant claim blocks billing reservations and organization deletion.',
    'storage.check-wakes': 'A storage check may wake the runtime.',
  }),
  ...rules('spec 4.1', {
    'cp.health': 'GET /api/health is public and answers service name and environment.',
    'cp.settings': 'GET /api/settings answers profile and organizations with role, members and daemon mode.',
    'cp.profile': 'PATCH /api/settings/profile updates name and image URL.',
    'cp.organization-rename': 'An admin renames an organization.',
    'cp.invite': 'An admin invites by e-mail; the invitation can be accepted later.',
    'cp.remove-member': 'An admin removes a member.',
    'cp.mail-retries':
      'A mail that the mail server did not take is sent again for a while, and no request waits for a mail.',
    'cp.leave-organization':
      'A member leaves by themselves and is not admitted again; the last admin hands over first.',
    'cp.change-role': 'An admin changes a role between admin and member.',
    'cp.auto-admit': 'Auto-admit binds the own domain of the caller; 409 on conflict.',
    'cp.delete-organization': 'Deletion needs the exact name, tears down hosting first, is blocked by payment history.',
    'cp.daemon-status': 'Daemon status is for members of self-hosted organizations only.',
    'cp.api-key-masked': 'GET api-key is masked, never plaintext.',
    'cp.api-key-issue': 'POST api-key issues; the plaintext is answered once.',
    'cp.api-key-rotate': 'POST api-key/rotate rotates; the plaintext is answered once.',
    'cp.provision-self-hosted': 'Creates a self-hosted organization and answers a key once.',
    'cp.provision-hosted':
      'Creates a hosted organization and provisions a runtime; the code is required outside local and test.',
    'cp.vaults': 'GET /api/vaults lists vaults through the daemon of each organization.',
    'cp.relay-registration': 'POST vaults/relay answers apiKey and daemonId, makes no vault row, fails for hosted.',
    'cp.hosted-vault': 'POST vaults/hosted asks the hosted daemon to create a vault.',
    'cp.entry': 'Entry mints a signed assertion after a membership check.',
    'cp.hosted-status': 'Hosted status; not_hosted_daemon for self-hosted organizations.',
    'relay.narrow-routes': 'Public tunnel routes are an allow-list.',
    'relay.trust-headers': 'Trust headers of clients are stripped at the public boundary.',
    'relay.no-bypass': 'Direct requests cannot bypass entry and membership.',
  }),
  ...rules('spec 4.2', {
    'admin.status': 'GET /api/admin/status confirms access, lists workspace domains; 403 for others.',
    'admin.inventory': 'GET managed-daemons lists entitlement and runtime inventory.',
    'admin.overview': 'System admins see the fleet in numbers, and first what needs somebody.',
    'admin.overview-day':
      'Changes of running daemons are counted as they happen, once, by whichever replica sees them.',
    'admin.image-roll': 'Image roll keeps app, machine, volume, relay URL; success means running with that image.',
    'admin.image-repository': 'The image must be in the repository of the environment.',
    'admin.mutations': 'Mutations are listed content-blind and with their actor.',
    'admin.comped': 'Grants initial complimentary hosted access, audited.',
    'admin.comped-again':
      'An organization without a live entitlement can be granted one: made without it, lapsed, or after a failed grant.',
    'admin.storage-check': 'Storage check goes through the relay, audited.',
    'admin.claim-recover':
      'The recovery route needs exact action, expectedOwner and the confirmation that the executor stopped.',
    'admin.cli': 'The CLI rolls an image; dry run validates without a request.',
  }),
  ...rules('spec 4.3', {
    'daemon.vaults': 'GET /api/vaults answers id and displayName of each vault.',
    'daemon.create-vault': 'POST /api/vaults answers 201; the vault is there without restart.',
    'daemon.tree': 'Tree with Markdown files and optional depth.',
    'daemon.search': 'Search finds words in notes.',
    'search.warm-start': 'A start compares stamps; only notes that have changed are read again.',
    'daemon.late-compilers': 'A resting daemon does without the optimizing compilers of V8; one that works has them.',
    'daemon.loop-free':
      'No turn of the event loop takes 50 ms of CPU while all notes of a vault change, go or come back at once.',
    'daemon.stops-at-once':
      'A stop waits neither for a comparison of files nor for git: what the next start does as well is given up.',
    'search.stop-while-building': 'A daemon that stops while it builds an index throws the build away.',
    'search.damaged-index': 'A damaged, cut or outdated search index is never believed; it is built anew.',
    'daemon.flush': 'Flush makes live sessions durable.',
  }),
  ...rules('spec 4.4', {
    'mcp.initialize': 'initialize with 2025-03-26 answers 200 or 202 and mcp-session-id.',
    'mcp.tools': 'The eight tools of the specification are there.',
    'mcp.vault-id': 'Every vault data tool needs a vaultId; there is no default vault.',
    'mcp.attachments-empty': 'list_attachments is empty for a fresh starter vault.',
    'mcp.delete-permanent': 'delete_note permanent removes for good, else the note may stay in trash.',
    'mcp.protocol-versions':
      'The endpoint speaks 2025-03-26, 2025-06-18 and 2025-11-25 with sessions, and 2026-07-28 without.',
    'mcp.limits': 'A message, a batch and the number of sessions are limited; what is refused is refused as JSON-RPC.',
    'mcp.memory': 'An idle session takes at most 40 KB; calls and sessions leave nothing behind.',
    'mcp.resources': 'Files are resources vault://<vault-id>/<path> that can be listed, read and followed.',
    'mcp.resources-paged':
      'The pages of resources have every file once, also those that change while the pages are read.',
    'mcp.lists-paged': 'An agent that moves or deletes the files of a page misses none of the next page.',
    'mcp.prompts': 'Prompts for common work quote their arguments; vault ids and paths are completed.',
    'mcp.progress': 'A call that takes longer than a second tells that it is running.',
    'mcp.stdio':
      'svcd mcp carries MCP over standard input and output, starts a daemon where none runs and survives its restart.',
    'mcp.lost-call': 'A call that runs when the daemon stops is answered: it may have been made, so read again.',
    'mcp.log-size': 'The log of a daemon that an agent started stays small.',
    'mcp.install':
      'svcd mcp install prints or writes the configuration of common clients; each leads a client to the vaults.',
    'mcp.edits-never-wrong':
      'An edit whose anchor has the noise of models goes to the place that was meant or is refused with what repairs it.',
    'mcp.inspector': 'The inspector finds no fault in the tools of either endpoint, strictly.',
    'mcp.mistakes':
      'What agents often get wrong is understood where it has one meaning; otherwise the failure says how to call, and nothing changes.',
    'mcp.hostile-calls':
      'No hostile tool call is answered as a bug or changes anything outside the vaults that the caller may use.',
    'mcp.attachments': 'An agent stores, lists and reads attachments; it replaces only what it has seen.',
    'mcp.note-history': 'note_history tells versions with their authors, the text of one and the difference of two.',
    'mcp.agent-call':
      'A tool call of the control plane needs an assertion that names the agent; the daemon decides again by its scopes and vaults.',
    'mcp.agent-resources':
      'Agents of the control plane list, read, complete and follow files of the vaults that their assertion names.',
    'mcp.daemon-port': 'The endpoint is on the daemon port.',
    'mcp.control-plane': 'Control-plane MCP needs the org for each vault tool and has list_orgs.',
  }),
  ...rules('spec 5', {
    'auth.session-cookie': 'Control-plane routes need the session cookie.',
    'auth.admin-routes': 'Admin routes need organization admin, member routes membership.',
    'auth.system-admin': 'System-admin routes need an admin of the operator organization; others get 403.',
    'auth.image-token': 'Only the image route takes the bearer token.',
    'auth.local-unauthenticated': 'Local REST and MCP have no login and stay on loopback.',
  }),
  ...rules('spec 6', {
    'audit.mcp-client': 'Mutating MCP calls are recorded with actor mcp_client; read-only calls are not.',
    'audit.operations': 'Audited operations write an audit row; a roll records lifecycle events.',
  }),
  ...rules('spec 7', {
    'error.shape': 'Rejected requests answer a structured failure.',
    'error.stale-doc': 'An edit on an outdated baseline answers stale_doc.',
    'error.match-count': 'An anchor that matches other than once answers match_count.',
    'error.relay-registration': 'Relay registration for another mode fails.',
  }),
  ...rules('contract 1', {
    'error.catalogue': 'docs/ERRORS.md and the catalogue are the same.',
    'error.paths': 'invalid_request lists paths and messages.',
    'error.retry-after': 'Retryable answers carry Retry-After.',
    'error.not-found-alike': 'Not found and not allowed look alike to outsiders.',
    'api.ok': 'A success of our own routes says ok: true, on the daemon and on the control plane.',
    'api.ids': 'An id is its prefix and 24 characters of lower-case base32, those of the sign-in library too.',
    'api.bodies': 'A body that is too large, not JSON or of another type is refused before any route runs.',
    'api.bad-input': 'Bad input of any route is invalid_request with its paths, and changes nothing.',
  }),
  ...rules('contract 2, rule 2', {
    'live.moved-followed': 'A client that comes back to a path which its note has left gets the note where it is.',
    'live.one-authority': 'A live session has one authority: an epoch and one order of changes for everybody.',
    'live.save-state': 'Clients are told what is sent, what survives a crash and what is in the note file.',
    'live.readers-see-unsaved': 'Readers and baselines see what is typed before it is in the file.',
    'live.edits-enter': 'REST writes and edit_note enter the open session as changes.',
    'live.outside-enters':
      'What another program writes enters the open session as changes, beside what is being typed.',
    'live.bytes-kept': 'Byte order mark and line ends of untouched lines stay as they are.',
    'live.kill-loses-nothing': 'No kill loses, doubles or tears what was acknowledged.',
    'live.outside-rename': 'A session follows a note that is renamed outside.',
    'live.moves-along': 'A session goes along with a move of its note; nothing typed is lost.',
    'live.unsaved-apart':
      'An open note whose text cannot be saved holds up only the moves, deletions and reverts that touch it.',
    'live.deletion-told':
      'A deletion is told to those who have the note open; text that is in no file goes to the trash.',
    'live.hostile-messages':
      'Sizes and rates are checked before a message is parsed; what is not of the protocol ends the connection.',
    'live.unloaded-refused': 'A client that has not loaded the text cannot replace it.',
    'live.limits': 'Floods of participants, notes, bytes and large messages end those who cause them and nobody else.',
    'live.search-sees-unsaved': 'A search finds what people have typed before it is in a file.',
    'ui.live-editing':
      'The UI edits notes as live text alone: what people, agents and other programs change meets in the editor.',
    'ui.unhosted-platform': 'A platform that runs no daemons offers none and says so.',
    'ui.presence': 'The UI shows who has a note open and where they are in it.',
    'ui.remote-changes-named': 'The UI tints what others change and says who it was, edits on disk included.',
    'ui.unsent-kept':
      'The UI keeps unsent text in the browser and puts it on top of the note when the host is there again.',
    'ui.note-followed': 'What was typed while the note was moved enters it where it is, and the page follows it there.',
    'ui.conflict-chosen':
      'Of two versions that cannot be merged a person chooses place by place; both are kept until then.',
    'ui.undo-own': 'Undo in the editor takes back what was typed there, never what others wrote.',
    'ui.note-ends-told':
      'The page follows a note that is moved; a deleted one can be created again from the text on the page.',
  }),
  ...rules('contract 2', {
    'vault.information': 'The information on a vault has counts, bytes, states and settings.',
    'trash.bytes-no-history':
      'What is deleted for good from the trash withholds no history of a note that it never was.',
    'attachments.never-notes': 'A note is never deleted or moved as an attachment, also if it has not been read yet.',
    'notes.create-refuses': 'A note is created only where there is no file, whatever that file is.',
    'notes.links': 'A note is answered with its links and the number of notes that link to it.',
    'notes.changed-baseline':
      'Every answer that changed a note carries its new baseline, of a revert and a restore too.',
    'notes.baseline-etag': 'A baseline is 24 hex digits of SHA-256 and the ETag.',
    'notes.preconditions':
      'PUT creates with If-None-Match, replaces with If-Match; neither on an existing note is refused.',
    'notes.durable': 'A write answered as done survives kill -9.',
    'http.head': 'HEAD reads nothing that GET would stream, and opens no stream of events.',
    'http.offered-upgrade': 'An offer to speak another protocol than WebSocket is ignored; the request is served.',
    'http.type-without-body': 'A request that names a content type and has no body is answered, whatever its method.',
    'http.early-answer':
      'A response that comes before the end of the request reaches a client that asked to close the connection.',
    'notes.hostile-paths':
      'No path of a request, tool, command or archive, and no link or device in a vault, reaches a file outside of it.',
    'notes.bytes-kept':
      'Edits, restores, reverts, moves and archives keep every byte of a note that the change does not name.',
    'notes.owner-kept':
      'A save, a move and a revert keep owner, group and mode of a file; new files get the owner of their folder.',
    'notes.bytes-untouched': 'Opening, reading, searching and closing changes no byte and no time stamp.',
    'notes.safe-paths': 'Paths never leave the vault; reserved and twin names are refused.',
    'daemon.events': 'The change stream goes on after Last-Event-ID; where it cannot, it says resync.',
    'daemon.any-file-time':
      'A file of any time, also one of no calendar, is listed, read and exported, and so are the files beside it.',
    'daemon.cut-downloads':
      'A download whose file another program cuts short fails; its connection carries no other answer.',
    'daemon.refused-conditions': 'A download that is refused for its condition leaves no file open.',
    'daemon.ranges': 'An attachment is served in one byte range; a range beyond its end is 416.',
    'daemon.folders': 'Folders are made, moved to the trash and brought back as a whole.',
    'daemon.folders-file':
      'folders.yml orders and names folders; only the paths of a moved folder are rewritten, and a broken one harms nothing.',
    'changes.recovered':
      'After a kill, a change is undone or completed whatever names its files have; what cannot be understood is kept.',
    'changes.joint':
      'A change of many files is made as a whole or not at all, whatever step fails, and overwrites nobody.',
    'notes.volume-failures':
      'A full, read-only or failing volume gives a typed failure and leaves the old bytes in place.',
    'daemon.terminal':
      'On a terminal the daemon writes coloured lines for a person, elsewhere JSON; both can be asked for.',
    'limits.attachment': 'An attachment of 1 GB is stored, served, exported and imported at flat memory.',
    'limits.vaults': 'A daemon serves 64 vaults; creating one more is refused with what to do.',
    'limits.notes': 'A vault of 100,000 notes is read, searched and listed, and does not delay a stop.',
    'limits.note': 'A note has 10 MB at most; one byte more is refused with the limit.',
    'notes.read-only-when-full': 'A nearly full volume is read-only; deleting and its audit still work.',
    'notes.no-foreign-overwrite':
      'A write never replaces or removes a file that somebody else changed since it was seen.',
    'audit.short-start': 'A start concludes what a kill left open, and reads only the newest entries for that.',
    'audit.intent':
      'A change has an entry before it is made, concluded after it: no kill and no full disk loses one or fails a written note.',
    'daemon.image': 'The image runs as a self-hosted daemon too, on loopback unless it is told otherwise.',
    'daemon.exit-codes': '78 configuration, 75 temporary, 1 else, each with one clear line.',
    'daemon.one-per-home': 'A second daemon on one home ends with 75.',
    'daemon.external-edits': 'Edits by other programs appear in tree and search.',
    'mcp.token-budget': 'All tool descriptions stay under 2,500 tokens.',
    'mcp.unknown-session': 'An unknown session answers 404.',
    'links.resolve':
      'Wiki links mean the exact path, then the own folder, then the shortest path, in any case; Markdown links are relative first.',
    'links.not-in-code': 'Links count in prose and in texts of properties, never in code.',
    'links.routes': 'Outgoing links, backlinks with their lines and unlinked mentions of a note follow every change.',
    'links.late-notes':
      'A note that is created while the links of a large vault are read changes the links of no other note.',
    'links.report': 'The report lists broken links with their reason, and notes and attachments that nothing links to.',
    'links.graph': 'The graph answers the neighbourhood of a note by depth, or the vault in pages.',
    'links.long-scans':
      'A report, tags or a graph that take longer than one request are whole after several, however large the vault is.',
    'links.move':
      'A move rewrites every link that would break or mean another file, in its own form, and no other byte.',
    'links.move-dry-run': 'A dry run of a move tells the notes and links that would change, and changes nothing.',
    'links.move-crash': 'A move that is interrupted at any step is made as a whole or not at all; no link is lost.',
    'archive.round-trip': 'An exported vault that is imported has the same files, byte for byte, and the same folders.',
    'archive.left-out': 'An export says how many files it leaves out because of their names.',
    'archive.ended-export': 'An export that is given up leaves no file open.',
    'archive.names': 'The names of an archive are those of its files, also where they are UTF-8 without saying so.',
    'archive.hostile':
      'An archive that leads out of the vault, has links, twins or more than it says leaves nothing behind.',
    'archive.unhurried-import':
      'An import holds up no other vault, and makes none once its client has left or the daemon stops.',
    'archive.killed-import': 'What an import had received when its daemon was killed is gone after the next start.',
    'daemon.commands':
      'svcd status, vaults, flush, doctor, move, export and import work on the daemon of SVC_HOME, for persons and as JSON.',
    'daemon.doctor':
      'svcd doctor names every file on which disk, daemon, index and history differ or that cannot be read.',
    'links.tags': 'Tags and properties are answered with the number of notes that have them.',
    'edit.diff': 'An edit of an agent is answered with the new baseline and a small diff.',
    'edit.atomic': 'All edits of a call apply to one baseline, or none.',
    'notes.as-bytes': 'A note is read and written byte for byte as text/markdown; an unchanged one is answered 304.',
    'notes.patch': 'PATCH takes the edits of edit_note and fails as edit_note does.',
    'notes.right-baseline': 'The text of a note comes with its own baseline, also while it is replaced.',
    'notes.not-utf8': 'A file that is not UTF-8 is an attachment, whatever its name, and no note tool rewrites it.',
    'notes.twin-writers': 'Of writers with one baseline exactly one wins.',
    'vault.adopted': 'A directory that becomes a vault gets its identity file and nothing else.',
    'vault.created-once': 'Of several requests for a vault of one name exactly one makes it.',
    'daemon.non-loopback':
      'A bind that other machines reach needs a switch and exact host names, else the start ends with 78.',
    'daemon.storage': 'The bytes that a vault and the volume use are answered.',
    'daemon.metrics': 'Metrics are answered on the own machine, and hold no path.',
    'daemon.openapi': 'The daemon describes its routes in an OpenAPI document.',
    'audit.content-free': 'An audit entry has time, actor, client, tool, path and baselines, and no content.',
    'search.grammar': 'Words, phrases, exclusions, paths, tags, titles and properties are one grammar.',
    'search.as-reading': 'A query finds what reading every note would find, best first and page by page.',
    'search.deepest-page': 'A search has at most 10,000 hits before its last page.',
    'search.folding': 'Spellings of a word meet; scripts without spaces are found by pairs of characters.',
    'search.early-changes':
      'A note that is written or deleted while the index of its vault is opened is found as it is, by no older word.',
    'search.large-changed':
      'A very large note is found by its beginning as soon as it is written, and does not have the index built all the time.',
    'search.partial': 'A search that has not seen all notes says partial.',
    'history.restore': 'Revisions are read with their author, compared, and restored under the baseline that was seen.',
    'mcp.described': 'Every tool has annotations and an output schema; with these the list stays under 4,000 tokens.',
    'mcp.read-parts': 'read_note answers a section, lines or a first part, and says where the rest begins.',
    'mcp.create-refuses': 'create_note refuses a path that exists.',
    'edit.tolerant': 'A match that is only tolerably exact counts when it is the only one, and is reported as such.',
    'edit.candidates': 'match_count names at most five candidates, or the nearest lines of an anchor that is nowhere.',
    'edit.stale-diff': 'stale_doc gives the fresh baseline, what changed, and whether a rebase would apply.',
    'edit.on-stale':
      'A stale edit is rebased where the caller asked for it and both changes fit, and refused elsewhere.',
    'edit.literal': 'New text is taken literally; line ends and bytes around a match stay as they are.',
    'edit.dry-run': 'A dry run of an edit answers its diff and changes nothing.',
  }),
  ...rules('contract 3', {
    'cp.last-admin': 'An organization keeps at least one admin, also under concurrency.',
    'cp.slug-race': 'Of organizations made at once none share a short name; a chosen one goes to one of them.',
    'cp.provision-race': 'Provisioning twice at once makes one organization with one daemon.',
    'cp.grant-race': 'Of grants at once to one organization one is given.',
    'cp.one-replica': 'Without Redis a second replica ends with 75 and says why.',
    'cp.database-copy':
      'A pg_dump becomes the same database by pg_restore, with its rights; one that was cut off restores nothing.',
    'cp.unreachable-stores':
      'Postgres or Redis that is away is waited for, then ends the start with 75; a refused login ends it with 78. One line each.',
    'relay.dial-in-only': 'Under /t/ the dial-in takes daemons alone, and the API has nothing there.',
    'operation.id-grammar': 'An operationId has 8 to 128 characters of its grammar.',
    'claim.fenced': 'After a recovery the effects, events and outcome of the old executor are refused.',
    'claim.executor-alive': 'A claim is not recovered while its executor holds its lock.',
    'cp.key-grace': 'Rotation keeps the old key for a grace period, immediate cuts at once.',
    'cp.provision-crash': 'A control plane killed during provisioning still gives one daemon.',
    'cp.migrations': 'Migrations are serialised; better-auth has nothing to add.',
    'cp.migrations-older-build': 'A build that is older than the schema finds nothing to migrate and is ready.',
    'daemon-key.random': 'A daemon key has 256 random bits; its masked form shows the last four characters.',
    'cp.key-routes-hosted': 'Key routes of a hosted organization answer not_self_hosted_daemon.',
    'cp.auto-admit-own-domain': 'Auto-admit needs a confirmed address of a domain that is no public mail service.',
    'cp.auto-admit-proof': 'A DNS record that names the organization takes the domain from a claim without proof.',
    'cp.auto-admit-once': 'A person is admitted once for each address and organization; a removal is final.',
    'cp.auto-admit-asks': 'A self-hosted organization is joined only after the person agrees.',
    'cp.ready-schema': 'A replica is not ready on an older schema, and becomes ready without a restart.',
    'relay.zero-mask': 'The daemon sends a zero mask over TLS or loopback alone.',
    'wake.reads-wake-nobody': 'Status and the list of vaults never wake a daemon.',
    'operation.one-per-organization': 'An organization has one operation at a time; another gets organization_busy.',
    'operation.epoch': 'The epoch of an organization never falls, also after its claim is gone.',
    'operation.crash-states': 'Every state that a crash can leave has one decided answer.',
    'operation.tombstone': 'Deletion leaves a tombstone with its operation; a repeat is answered by it.',
    'admin.image-roll-token':
      'With the bearer token the image route needs no operationId, answers one and repeats nothing.',
    'admin.image-roll-wakes': 'A single roll wakes a sleeping daemon.',
    'rollout.waves': 'A rollout goes through the fleet in waves; the first one is the canary.',
    'rollout.sleepers': 'A rollout leaves a sleeping daemon to its next wake, which rolls it.',
    'rollout.superseded': 'A rollout never rolls back what an admin rolled alone after it was created.',
    'rollout.budget': 'A rollout stops when its failure budget is spent, and goes on only when an admin says so.',
    'rollout.controls': 'A rollout is paused, resumed and aborted; each is audited with its actor.',
    'rollout.begins':
      'A rollout that does not run, or is outside its quiet hours, begins no member, also none that was busy.',
  }),
  ...rules('contract 4', {
    'operator.key-known-again':
      'A database of before a rotation learns the key of a running daemon from its resource, and rotation goes on.',
    'operator.resource-believed':
      'A resource is believed by its recorded uid and organization, a reported key if a request or a loss explains it.',
    'daemon.tunnel-only': 'A daemon that is run by others listens for no data and ends with its parent.',
    'daemon.status-token':
      'The status listener of a hosted daemon tells nothing but its health without the token beside its key.',
    'operator.idempotent': 'The second reconcile writes nothing.',
    'operator.stores-conform': 'Both stores of resources answer alike.',
    'operator.bad-image': 'A bad image rolls back and is not tried again without a new operation.',
    'operator.restored-cluster':
      'After a restore of the cluster, operator and inventory follow what it has, though versions fall.',
    'operator.first-pull': 'A first image that its registry does not give out is tried without end.',
    'operator.key-order': 'A key is used only after its hash was accepted.',
    'operator.few-writes': 'A new daemon runs after six writes of objects and three of its status.',
    'operator.key-lost': 'A lost relay key is made anew as the next generation, and goes through acceptance.',
    'operator.truthful-end': 'A daemon that ended in order is not said to have crashed.',
    'operator.asked-first': 'What a person waits for is reconciled before what was looked at already.',
    'operator.dead-node-apart':
      'Pods that do not answer, as on a dead node, hold up no work on others; a long wait is looked at rarely.',
    'operator.down-counted': 'Metrics count the daemons that do not serve, by state and reason, and alerts read them.',
    'operator.volume-lost':
      'A volume that is gone after the daemon has served, or is being deleted, is reported and never replaced by an empty one; nothing stops the pod that has the only copy.',
    'operator.resource-lost':
      'A resource deleted on the cluster is reported, and made again by an admin alone, on its volume.',
    'operator.lost-volume': 'The volume of a lost resource goes with its organization.',
    'operator.tags-pinned':
      'A tag is resolved to its digest before a spec names it; where it cannot be, the failure says what to do.',
    'operator.grow-and-sleep': 'Growth and sleep are audited operations of the administrator.',
    'security.database-role':
      'The application connects as svc_app: no DDL, and of the audit insert and select alone; retention through a definer function.',
    'sleep.idle':
      'A hosted daemon that nobody uses for the idle time of its organization, or of the platform, flushes and sleeps.',
    'sleep.activity':
      'Requests, transfers and operations keep a daemon awake; event streams, questions about state and the platform do not.',
    'sleep.aborted': 'A request between the look at a daemon and its stop keeps it awake or wakes it again.',
    'sleep.last-use': 'A backup is current during a sleep only if nobody used the daemon after it, until it stopped.',
    'sleep.streams-end': 'An event stream of a sleeping daemon is told so and ends; it never wakes the daemon.',
    'sleep.tabs':
      'What an open page asks by itself leaves a sleeping daemon asleep; a person who acts or has unsent words wakes it.',
    'wake.held':
      'Requests, entries and pages for a sleeping daemon wake it and are held; none fails if it wakes within 25 seconds.',
    'wake.page': 'A page that waits for more than 1.5 seconds shows that the vault wakes, and goes on by itself.',
    'operator.auto-grow':
      'Volumes grow by themselves up to the ceiling of the platform: while running, asleep and when they are full.',
    'operator.sleep-flushes': 'Sleep stops the workload only after a durable flush.',
    'operator.upgrade-no-restart': 'An operator upgrade replaces no pod that runs.',
    'operator.template-corrected':
      'Corrected settings of pods reach a daemon whose pod cannot start or is missing, once; a pod that runs is left alone.',
    'operator.mirrored-images':
      'A cluster that changes the images of pods while it admits them has each pod replaced once.',
    'operator.changed-by-hand': 'A workload that somebody changed by hand returns to its image, without a restart.',
    'operator.network-isolation': 'A daemon reaches names and the relay, and nothing else of cluster or platform.',
    'operator.restricted-pod': 'Pods of daemons hold to the restricted pod security and a read-only root.',
    'operator.power-cut': 'After a power cut of its node a daemon serves again from the same volume.',
    'operator.crd-equals-schema': 'The resource definition is generated from the schema.',
    'operator.spec-rules':
      'No change of a resource moves it to another organization, shrinks its volume or lowers an epoch or key.',
    'operator.volume-policy':
      'The volume of a deleted resource stays or goes by its policy, and is adopted by a new installation.',
    'operator.written-rarely': 'A daemon that is as desired is written to 0 times, also by a restarted operator.',
    'daemon.key-file':
      'A daemon watches its key file and changes to a new key without being away; file and variable at once are refused.',
  }),
  ...rules('security', {
    'security.origins': 'The control-plane origin never answers a byte of a daemon.',
    'security.unknown-host': 'An unknown host name answers 421.',
    'security.template-required': 'A non-loopback base URL without vault origins exits with 78.',
    'security.assertion-kinds': 'Each kind of assertion is refused where another is expected.',
    'security.identity-per-request': 'Identity is per request over pooled streams.',
    'security.assertion-count': 'The daemon refuses none, two or a foreign assertion.',
    'security.default-deny': 'A relayed request to a route without a declared scope is refused.',
    'security.entry-once': 'An entry assertion is consumed once and never forwarded.',
    'security.entry-origin': 'Entry needs the origin of the control plane.',
    'security.entry-cookie': 'The entry cookie is HttpOnly, host-only, SameSite=Lax, and ends with what ends access.',
    'gateway.person':
      'The person route tells who is here, the vaults of this organization, what may be done, the theme, and nothing else.',
    'daemon.person': 'svcd answers the person route in the same shape, to its own machine alone.',
    'web.one-theme': 'A theme chosen in the app is that of every vault, and the other way round.',
    'ui.plain-pages':
      'Pages of the control plane without a script have the design, load nothing, fit a phone and run nothing that others wrote.',
    'ui.tree-order': 'The tree of the UI keeps the order and display names of folders.yml.',
    'ui.tree-move':
      'Renaming and moving, by key or by dragging, shows the links to be rewritten before anything changes.',
    'ui.tree-menu': 'What can be done to a file or folder is a menu of its line, by pointer and by keyboard.',
    'ui.tree-delete':
      'A deletion by key keeps the focus in the tree, at the line after the deleted one, whichever note is shown then.',
    'ui.tree-scroll': 'The tree scrolls by itself only to a line that has just got the focus.',
    'ui.tree-upload': 'Files are uploaded into a folder; what is there already is never replaced.',
    'ui.dropped-notes':
      'A Markdown file that is put into an open note becomes a note beside it that is linked; a refusal says why.',
    'ui.tabs':
      'Notes open as tabs, by pointer and by keyboard; tabs are kept, and Back and addresses keep their meaning.',
    'ui.panes': 'Two panes show two notes, or edit one as one session; the address is that of the pane with the focus.',
    'ui.properties':
      'Properties are edited as fields of their kind; what is not changed keeps its bytes, what no field can hold is text.',
    'ui.daily-notes':
      'The note of today is made once, where and as the daily template of the vault says, and then opened.',
    'ui.templates':
      'A note is made from a template of the vault, or gets one at the cursor, with title, date and time filled in.',
    'ui.backlinks': 'Beside a note stand the notes that link to it, and those that name it without a link.',
    'ui.news':
      'What changed since the person last read it is marked in the tree and listed on the home; reading a note clears it.',
    'ui.graph':
      'The links of a vault, or around one note, are a picture and a list: searched, zoomed, walked by keyboard, opened.',
    'ui.live-preview':
      'While a note is edited, its Markdown gives way to what it means where the cursor is not; a switch shows the Markdown alone.',
    'ui.tables':
      'In the live preview a table is a grid whose cells, rows and columns are edited in place; what is not edited stays byte for byte.',
    'ui.completion': 'The editor completes links to notes, their headings and blocks, and tags.',
    'ui.focus-parts': 'F6 takes the focus from the tree to the note, to the panel and around.',
    'ui.tags': 'The tags of a vault are a tree with counts; each opens the search for its notes.',
    'ui.preview':
      'Pointing at a link to a note, or going to it by key, shows the beginning of that note; Escape puts it away.',
    'ui.print':
      'A printed note is a document: nothing of the page around it, nothing folded away, links with addresses.',
    'ui.installable': 'The vault UI can be installed as an app, without a service worker.',
    'ui.hostile-markup':
      'No text, name, property, formula, diagram or picture of a vault runs a script in the UI or makes it call elsewhere.',
    'ui.missing-parts':
      'A part of the vault UI that cannot be loaded, as after an update, loads with a reload of the page; one that stays missing is reported.',
    'ui.phone':
      'On a phone every link and button is as high as a finger needs, no page scrolls sideways, and Escape closes what lies over the note.',
    'ui.long-note':
      'A long note is read by the part; the page says which part is shown, leads to the others, and links lead to theirs. It is written in as plain text, which the editor says, and its history shows excerpts.',
    'ui.unread-files': 'The tree names files and folders of the vault that the host cannot read.',
    'ui.right-to-left':
      'Text that is written from right to left, such as Hebrew and Arabic, is read and edited in that direction.',
    'ui.all-versions':
      'Every version of a note can be reached in its history, and the oldest one listed shows only what it changed.',
    'ui.undo-change':
      'One change of a version is taken back by itself; where its lines were changed since, nothing is, and it is said.',
    'ui.reading-kept':
      'While a note that is read changes elsewhere, what is selected, open or focused in the rest of it stays.',
    'ui.arrivals': 'What changes in a vault while its page is loading is shown.',
    'ui.nothing-guessed': 'Before the files of a vault are known, nothing is said to be missing from it.',
    'ui.missing-named':
      'The address of a file that is not in the vault says so, also if it is no note, and leads to files of that name.',
    'ui.accessible': 'axe finds nothing on the pages of the vault UI, in both themes.',
    'app.accessible': 'axe finds nothing on the pages of the web app and console, in both themes and on a phone.',
    'entry.deep-link': 'A link to a note, opened without an entry, leads through the app to that note at its heading.',
    'entry.no-open-redirect': 'No path, heading or vault in a link leads to another host.',
    'security.entries-joined':
      'Every vault entered stays entered: a second entry holds the vaults of the first, which ends nothing under way.',
    'security.revocation': 'Revocation takes effect within 5 seconds.',
    'security.request-headers': 'Cookies, credentials and trust headers never reach the daemon.',
    'security.response-headers': 'Only allowed headers of a daemon reach the browser.',
    'security.csrf': 'Unsafe methods need a matching origin.',
    'security.cross-site': 'A vault origin lets other sites open its UI in a tab and do nothing else.',
    'security.service-worker': "A vault origin has one service worker, the gateway's own.",
    'security.remote-images': 'Pages of a vault origin load images of that origin alone.',
    'security.entry-rechecked': 'Membership, role and sign-in are checked again when an entry assertion is used.',
    'security.session-cookie': 'Two session cookies count as none.',
    'security.instance-pinning': 'Another instance with the same key is refused.',
    'security.address-limits':
      'Sign-in, entry, key, setup, audit verification and bearer routes are limited by the real client address behind configured proxies.',
    'security.mail-host': 'Links in mails lead to the base URL, whatever host a request names.',
    'security.open-redirect': 'No field of a request makes an answer or a mail that leads to another host.',
    'security.header-injection': 'No text of a request makes a header of an answer or a mail.',
    'security.token-guesses': 'Wrong admin tokens are limited by address, and never lock out the right one.',
    'security.key-dial': 'A wrong key is refused, rate-limited and not logged.',
    'security.body-pace': 'A body that comes more slowly than a kilobyte a second ends in request_timeout.',
    'security.dial-in-fair': 'Wrong keys spend no budget but that of their source, however many come.',
    'security.upgrade-errors':
      'What a client sends or resets while it upgrades ends its connection, never the process.',
    'security.key-rechecked': 'A key that ends before its daemon has said hello opens no tunnel.',
    'security.conflict-audited':
      'A conflict of two daemons with one key, and the takeover by another home with a new key, are audited once each.',
    'security.loopback-ws': 'The daemon refuses ws: to anything but loopback.',
    'security.host-allow-list': 'The local daemon answers only allowed host names and origins.',
    'security.local-navigation':
      'A link of another site leads to the UI alone, decided on the decoded path; never to the API, MCP or metrics.',
    'security.regular-files':
      'Every file, of a vault or our own, is opened without following a link or waiting, and must be a regular file.',
    'security.compile-cache': 'The daemon keeps compiled code only in a folder in which nobody else can write.',
    'security.restore-own': 'A member brings back only what they deleted themselves, from the trash and from history.',
    'security.purged-history': 'Revisions of what was deleted for good are served to nobody, not after a kill either.',
    'security.no-beacon': 'A rendered note and the page of the daemon load nothing from other hosts.',
    'security.active-content': 'Attachments and notes cannot run code on our origin.',
    'security.daemon-page':
      "A daemon's page reaches neither the control plane nor another organization with the visitor's cookies.",
    'security.planted-cookies': 'Cookies that a page of one daemon sets leave sessions on other origins alone.',
    'security.outbox': 'The outbox opens only from loopback with its one-time link.',
    'security.setup-link': 'The first system admin comes from a one-time link, never from the first sign-up.',
    'security.invitations': 'Invitations need the invited, verified address and are used once.',
    'security.nothing-readable':
      'No table, job, log, metric or command line holds a password, a key or the secret of a mailed link readably.',
    'security.log-canary': 'No secret or vault path reaches a log or a metric.',
    'security.token-cli': 'The CLI refuses a token as an argument.',
    'security.operator-organization':
      'Changes of members, roles and invitations of the system admins need a recent sign-in and are audited.',
    'security.member-audit':
      'Whoever becomes or stops being a member is in the audit, by domain and by deletion of the account, too.',
    'security.sign-up':
      'Sign-up, and sign-in after it, answer alike for known and unknown addresses; a known one gets a mail that says so.',
    'security.sign-up-confirmation':
      'There is no account before the mailed link is used; what a stranger chose for an address never becomes its password.',
    'security.auth-secret':
      'AUTH_SECRET can change without a sign-out; one that opens no stored key ends the start with 78.',
    'security.auth-secret-reseal':
      'A change of AUTH_SECRET reseals authenticator apps, recovery codes and client secrets; none depends on the old value afterwards.',
    'security.request-text': 'All text of a request is well-formed Unicode without NUL, or nothing runs.',
    'security.credential-change':
      'A new password or address ends every mailed link, every other session, sign-in under way and entry of the person.',
    'auth.two-factor':
      'With an authenticator app, a password, a mailed link and a provider each lead to the question for a code.',
    'auth.two-factor-tries':
      'A code is good once; five wrong ones end a sign-in, ten in a row lock the account for codes.',
    'auth.two-factor-recovery': 'Recovery codes are shown once, stored encrypted, and each signs in once.',
    'auth.two-factor-fresh':
      'Changes of the second factor and of passkeys need a recent sign-in and a confirmed address.',
    'admin.two-factor-required': 'Where the setting is on, system admins need two-factor sign-in.',
    'admin.cli-output':
      'svc-admin prints one JSON object, or lines and nothing else; a failure among lines goes to standard error.',
    'admin.cli-patience': 'svc-admin exports an audit for as long as lines come, and waits minutes for a verification.',
    'admin.two-factor-reset': 'A lost authenticator app is taken off an account by svc-admin, audited with its reason.',
    'auth.passkeys': 'A passkey is added, named, used to sign in without a code, and removed.',
    'account.email-change':
      'A new address counts when its link is used by the person who asked; the old one can undo it; nothing tells whether an address is known.',
    'account.deletion':
      'An account is deleted with its sessions and memberships, but not the only admin of an organization; the audit keeps the name.',
    'account.changes-at-once':
      'A change of the whole account and a change of its password at the same time wait for each other in one order.',
    'security.auth-routes':
      'The sign-in handler is reached by a closed table of paths; no address is made of raw text.',
    'security.audit-chain': 'Audit is append-only and a broken row is named.',
    'security.audit-checkpoints': 'A cut tail, a chain written anew and a forged checkpoint show in verification.',
    'security.audit-off-loop': 'Verification of long audits with many signatures does not hold the event loop.',
    'security.audit-retention-meanwhile':
      'Retention that removes rows breaks no verification and no export that runs meanwhile.',
    'security.two-namespaces': 'Platform and daemons never share a namespace.',
    'security.member-rights': 'A member deletes nothing for good and imports nothing through the relay.',
    'security.audit-readable':
      'The audit is filtered by action, person and time, names who and what, and is verified; admins read that of their organization.',
    'untrusted.front-matter':
      'Properties beyond the limits, or with keys that are no scalars, are text; the note is named.',
    'untrusted.linear': 'Every parser of untrusted text takes time linear in its input.',
    'untrusted.off-loop':
      'Large notes are parsed off the event loop with a deadline; JSON carries 1 MB of text at most.',
    'untrusted.fuzzed': 'Every parser of untrusted text stands hostile input without a crash, a stall or a leak.',
    'embedded.one-listener':
      'One port serves the control plane on localhost and vaults on their labels; pages on 127.0.0.1 lead to localhost.',
    'security.listeners':
      'API, vault gateway, dial-in and internal routes have a listener each, and none answers for another.',
    'security.assertion-keys':
      'An assertion counts with an EdDSA signature of a key of its kind, its issuer, audience and organization, until it ends.',
    'security.key-refresh': 'A daemon that meets unknown keys asks its relay for the keys at most once a minute.',
    'security.service-scope': 'A call of the platform reaches only routes of the scope that its assertion names.',
    'security.entry-form': 'Entry takes one assertion in a form of at most 4 KiB; anything else is refused.',
    'security.daemon-status':
      'A status of 401 or 407, a doubled header or a redirect that leads away is no answer of a daemon.',
    'security.session-renewed': 'A sign-in has a new session id; an id from before opens nothing.',
    'security.dial-redirect': 'A daemon never follows a redirect with its key.',
    'security.child-environment': 'A child daemon has an explicit environment and nothing of its parent.',
    'security.least-rights':
      'The roles let operator and control plane do their work, and nothing that they do not use.',
    'security.admission-policy':
      'The cluster refuses images outside of the repository and pods with what a daemon must not have.',
    'image.reference': 'An image reference is parsed by grammar; its repository is compared by equality.',
    'security.admin-recent': 'Admin mutations need a session of the last ten minutes.',
    'security.admin-token':
      'An image token has 32 bytes at least, two are valid during a change, and none beside a session cookie.',
    'security.operator-organization-bare':
      'The organization of the system admins has no daemon, no auto-admit and no deletion.',
    'security.provider-trust': 'A provider confirms an address only of the domains for which it is authoritative.',
  }),
  ...rules('agents of the control plane', {
    'agents.off': 'While agents are not enabled, MCP, OAuth and their well-known addresses answer 404.',
    'agents.connect': 'MCP clients of both SDK lines sign in from the bare address of the endpoint, by registration.',
    'agents.registration':
      'A registration stores only safe redirect addresses and a short plain name, tolerates what common clients send, and is limited.',
    'agents.audience': 'The MCP endpoint takes only tokens that were issued for it.',
    'agents.revocation':
      'Removal, disconnecting, pausing, revoking, blocking, expiry and a new password end access with the next call and the next refresh.',
    'agents.metadata-document':
      'A client metadata document is fetched for people who are signed in alone, from a public address, without redirects, bounded and cached.',
    'agents.two-consents':
      'A call needs the consent of the person and the approval of an admin; without the second it says how to ask and the admin finds the request.',
    'agents.requests':
      'A bounded number of programs waits for a decision, and a smaller one of each member; who asks in vain is told so.',
    'agents.decisions-in-turn':
      'Decisions about the programs of one organization at the same time end as one after the other; each entry of the audit is true.',
    'agents.isolation':
      'A call of one person with one client never reaches an organization or vault that was not chosen.',
    'agents.many-vaults':
      'A call names its vault alone to the daemon; consent refuses more single vaults than one call can name, and a former grant of more says so.',
    'agents.resources':
      'Files of all organizations are resources with prompts, completion and subscriptions, in every protocol version; long calls tell that they run and can be cancelled.',
    'agents.platform-rules':
      'System admins block programs for the platform, or allow some alone; it is audited and ends access with the next call.',
    'agents.hostile-calls':
      'Hostile messages and paths are refused in the words of the protocol, and reach nothing outside of the vault.',
    'agents.known-clients': 'What known clients were seen to send or to need is taken and given.',
    'agents.audit':
      'The audit of an organization names person, program and integration of every call that may change something, and no note.',
    'agents.wake': 'A call of an agent wakes a sleeping daemon, or says that it wakes.',
    'agents.limits': 'Calls are limited for each client, each person and all clients of an organization together.',
    'agents.statements': 'A call of an agent waits for one statement of the database, and for its entry in the audit.',
    'agents.undone':
      'Person and admins see how many changes of a program were taken back, as its daemons last reported; never notes.',
    'agents.token-passthrough': 'The token of an agent never leaves the control plane.',
    'agents.confused-deputy':
      'Nobody gets a code without a decision of the person in the web app, for exactly this client, address and scope.',
    'agents.consent-framing': 'The consent page cannot be framed, and says where the program sends people.',
    'agents.key': 'Tokens of one redirect address never gain the approval of another one.',
    'agents.refresh': 'Refreshes that race all get the same tokens.',
    'agents.sessions': 'A session id works for its person and client alone, and not after its end.',
  }),
  ...rules('contract 2 rules 8 and 12', {
    'vault.renamed-stopped': 'Vaults that are renamed while no daemon runs keep their history, audit and unsaved text.',
    'vault.own-data': 'The data of a former vault of a name never serves another vault that gets the name.',
    'vault.first-reading':
      'What cannot be read when a vault is opened is named, delays nothing else, and is read as soon as it can be.',
    'vault.early-changes':
      'What is removed, reverted or asked for before a vault is listed is as complete as it would be after that.',
    'vault.closing':
      'A vault that is closed answers no request with a bug, and ends its event streams with the reason.',
    'vault.at-runtime':
      'Vaults that come, go or get another name while the daemon runs are opened, closed and followed.',
    'vault.refused-at-runtime': 'A copy of an open vault is not opened while the daemon runs, and is named.',
    'watch.nothing-lost':
      'An unreadable folder, a missing volume or a vault that is away deletes nothing that is known.',
    'watch.polling': 'Where files cannot be watched they are polled, and one line of the log says so.',
    'watch.remote-disk': 'An export or a restored folder reads no network disk on the event loop.',
    'watch.mass-changes': 'Changes of a whole vault at once are all seen.',
    'watch.stored-names':
      'A file that only a link or another spelling of its name still leads to is gone from where it was.',
    'watch.replaced-folders': 'A folder that is made again or swapped for another one is watched as the one before.',
  }),
  ...rules('contract 2 rule 4, history', {
    'history.queue': 'The author of an acknowledged change survives a kill, and no change becomes two revisions.',
    'history.found-first': 'An edit before the first import leaves the note as it was found in the history.',
    'history.mass-deletion': 'Notes that are deleted outside by the thousand are deleted in the history as well.',
    'history.behind': 'A history that cannot be written loses no revision, fails no save and is written later.',
    'history.locks': 'Locks and drafts that a killed git has left stop neither saving nor history.',
    'history.damage': 'A damaged history is moved aside and named, and a new one begins.',
    'history.deleted':
      'Notes that only the history still has are listed with who deleted them and when, and are brought back from there.',
    'history.renames': 'Revisions of a note are found under the paths that it had before.',
    'history.moved-to':
      'The history of a path says where the note is now that was there, and the page of that address leads to it.',
    'history.hardened': 'No configuration, hook, attribute or ignore file but our own steers the history.',
  }),
  ...rules('contract 2, edit', {
    'edit.rebase-history':
      'A stale edit is rebased from any served revision of the note, also after a restart or a move.',
  }),
  ...rules('contract 2, revert', {
    'revert.clock':
      'A revert since a time misses nothing that was changed after it, also where the clock has been set back meanwhile.',
    'revert.keeps-people': 'Taking back what one client did keeps every word that others wrote meanwhile.',
    'revert.whole': 'A revert is made as a whole or not at all, also over a kill and a failing volume.',
    'revert.one-of-many':
      'Taking back one change of an agent keeps its later changes of the same note; those that overlap are named.',
    'revert.keeps-authors': 'Lines that a revert puts back are told as written by who wrote them.',
    'revert.reviewed':
      'A revert is shown first; deleted notes come back, created ones go to the trash, moves are undone.',
    'revert.by-agent': 'An agent takes back what it did itself, and only what it was shown before.',
    'revert.dependent-moves':
      'Moves that depend on each other are undone together; what is in the way of others is never overwritten, and is named.',
    'revert.attachments':
      'An attachment that an agent made goes to the trash, and one that an author deleted comes back from it; what was replaced or deleted for good is named.',
    'revert.folders':
      'A revert of a move brings back attachments, folders and their settings, and what was deleted after it.',
    'revert.allowed': 'A member takes back what their own agents did, an admin what anybody did.',
  }),
  ...rules('contract 2, readings and news', {
    'news.since-read': 'News count what people and agents changed since the caller last read it, note by note.',
    'news.durable': 'What somebody has read stays read after a kill; a damaged file of readings fails nothing.',
    'vaults.list-activity': 'A list of vaults tells notes, newest change, and news of the person who asks for it.',
  }),
  ...rules('contract 2, authors', {
    'authors.model': 'Every line of a note has its author, through edits, merges, moves, restores and outside edits.',
    'authors.now': 'Authors are told of the text as it would be saved now, since a time, and never of a purged note.',
    'authors.found': 'Nobody is said to have written what was there before the history of a vault.',
    'authors.live': 'Of what several people type into one open note, each line has its writer.',
  }),
  ...rules('contract 5, embedded state', {
    'embedded.installation': 'An installation has an id; data folder and database find each other after a move.',
    'embedded.no-silent-loss':
      'A data folder without its database, or the reverse, is refused with 78 and one line that offers the ways out.',
    'embedded.adopt': 'A database whose data folder is gone is taken over with its accounts and keys.',
    'embedded.reset':
      'A reset shows what it deletes, asks, and is completed by the next start when it was interrupted.',
    'embedded.secret':
      'AUTH_SECRET changes the secret of an embedded platform and is kept; one that opens no stored key ends the start with 78.',
    'embedded.migrates': 'The layout of older versions is taken over without loss.',
    'embedded.outside-database':
      'Reset, adoption and restore leave the secrets of a database alone that DATABASE_URL names.',
    'embedded.backup': 'A backup of a running platform, restored elsewhere as another user, is byte-equal and whole.',
    'embedded.backup-left-out': 'A backup names each entry that it leaves out, also one whose name is not UTF-8.',
    'embedded.restore-safe': 'A restore refuses damaged and newer files and replaces nothing before all is verified.',
    'embedded.nameless-user':
      'A user without a name gets a database where the system has user namespaces, else 78 and what to do.',
    'embedded.own-user': 'As root, the database runs as a user of its own, behind a folder that nobody else can enter.',
    'embedded.socket-folder': 'A socket folder that another user made in advance, or a link, is refused.',
    'embedded.one-platform': 'A data folder belongs to one running platform; a second one ends with 75.',
    'embedded.ends-whole':
      'Front process, platform, database and daemons end together, however one of them or the terminal ends.',
    'embedded.kills':
      'An adoption, reset or restore that is killed anywhere is undone or completed, or the next start says what to do.',
    'embedded.power-cut':
      'A copy of the daemon, of the database or of its programs that a power cut damaged is not trusted.',
    'embedded.left-behind': 'What other clones left on the machine is listed, and removed when told.',
  }),
  ...rules('relay with several replicas', {
    'relay.one-hop': 'A request reaches the daemon through whichever replica took it, by one hop at most.',
    'relay.hostile-keep-alive':
      'However briefly a daemon keeps its connections open, its answers harm no request of others; a fault of ours with one peer ends its tunnel alone.',
    'relay.hop-signed': 'A hop is signed for one receiver, tunnel and tenure, lives 10 s and is good once.',
    'relay.one-owner': 'Two instances never serve one organization; a superseded tunnel is closed.',
    'relay.stale-entry': 'A stale directory entry costs one extra hop at most.',
    'relay.drain': 'A replica that stops fails no request.',
    'relay.handover': 'A daemon retires an old tunnel only when the relay has registered the new one.',
    'relay.replica-lost': 'A killed replica fails its in-flight requests alone; the rest recover within 3 s.',
    'relay.redis-lost': 'A restart of Redis fails no request.',
    'relay.accept-budget': 'Tunnels are accepted at a budgeted rate; others are told when to come.',
    'relay.tunnel-limit': 'A daemon holds four tunnels at most, on all replicas together.',
    'relay.dial-pace': 'A daemon that dials without pause is told to wait, and no other daemon is.',
    'relay.rebalance': 'Daemons spread over replicas that were added, slowly and without a failed request.',
    'relay.org-limits-shared': 'The limits of an organization hold over all replicas together.',
    'relay.permits': 'All replicas together never have more requests of an organization open than its limit.',
    'relay.person-share': 'One person or agent cannot use up the limits of an organization.',
    'relay.queued-bytes': 'Bytes that one side sent and the other has not taken are limited for each organization.',
    'relay.vanished-browser': 'A browser that goes in the middle of an upload ends the stream to the daemon at once.',
    'daemon.diag': 'svcd diag names the exact cause of a relay that cannot be reached.',
  }),
  ...rules('charts', {
    'chart.generated':
      'Schemas, tables of values and carried manifests of the charts equal what they are generated from.',
    'chart.renders': 'Each chart renders for every set of values, and to the same objects under Helm 3 and 4.',
    'chart.closed': 'An unknown or contradictory value is refused by name; several replicas need Redis.',
    'chart.restricted': 'Every pod of the charts meets the restricted standard with a read-only root.',
    'chart.references': 'Every image, Secret key, volume and port that a template names exists.',
    'chart.variables': 'Every variable that a template sets is known to its process, which starts with them.',
    'chart.secrets': 'No template holds a secret outside of a Secret.',
    'chart.auth-secret-change': 'While AUTH_SECRET changes, every process of the chart gets both values from a Secret.',
    'chart.rights': 'The chart grants the rights of crds/roles.yaml and binds its policies, and no more.',
    'chart.keeps': 'Uninstalling keeps the resource definition, the namespace of daemons and generated keys.',
    'chart.alerts': 'Alerts and dashboards read metrics that exist, and every alert has a runbook.',
    'chart.no-new-keys':
      'Where Helm sees no cluster, the chart refuses to make a key or a password that an earlier one may exist of.',
    'chart.authorities':
      'Every process of the control plane trusts the certificate authorities of the ConfigMap that the values name.',
    'chart.network':
      'The policies of the charts lead to name servers, pods and the API server on every network, and to no credentials of a cloud.',
    'compose.starts': 'The processes start with what the compose files set, with a read-only root and no capability.',
    'compose.images':
      'The compose files run the images that the Dockerfiles say how to build, and ask no registry for them.',
    'proxy.nginx': 'Behind nginx as the example sets it up, quiet streams live and large files pass.',
    'image.reproducible': 'The same bundle on the same base gives the same layers of control plane and operator.',
    'chart.installs': 'Helm installs the platform into a restricted namespace, and the test of the release passes.',
    'chart.self-hosted':
      'A self-hosted daemon installed by its chart serves through the relay with the key of a Secret.',
    'chart.rolling-upgrade': 'An upgrade with a migration, and its rollback, fail no request and restart no daemon.',
    'cluster.rolls':
      'On a node an image that cannot be pulled, is never ready or crashes rolls back by itself and says why; a rollout goes on past one bad member.',
    'cluster.sleep':
      'On a node idle daemons sleep and every first request is served, while readers of others see no failure.',
    'cluster.wake-time':
      'On a node each first request of a wake is served; wakes are measured beside starts of a pod of the same image.',
    'cluster.cost': 'On a node a hosted daemon that nobody uses holds little memory and uses hardly any CPU.',
    'cluster.full-volume':
      'On a node each write to a full volume is kept or refused with storage_full; the volume grows to its ceiling by itself.',
    'cluster.kills':
      'Kills of platform and node lose nothing acknowledged and do nothing twice; daemons reach what was asked for.',
    'chart.missing-secret':
      'An installation that names a Secret or key that is not there is refused with what to make.',
    'cluster.lost':
      'From backups, a copy of the database and the kept Secrets an empty cluster serves every note byte for byte.',
    'chart.ipv6': 'Platform and daemon start where pods have IPv6 addresses, and listen at them.',
    'chart.claims': 'A volume that an upgrade cannot change is refused with what to do.',
    'chart.accepted': 'A real API server takes every object of the charts, strictly validated.',
  }),
  ...rules('vault ui', {
    'ui.diagram-frame':
      'Diagrams are drawn by a page without an origin, the same for everybody; a page of a note gets a picture of it.',
    'ui.diagram-fails': 'A diagram that is wrong, or that does not end in time, shows its source and why.',
    'ui.margin-authors': 'The margin names who wrote which lines and when, an agent with the person it acts for.',
    'ui.undo-agent':
      'What an agent changed is undone from the margin or the Agents page, after the change that this makes was shown.',
    'ui.pdf': 'A PDF is shown in the note that embeds it, its text as text; nothing in it runs.',
  }),
  ...rules('web app', {
    'web.next-path': 'After sign-in the app goes only to addresses of its own.',
    'web.link-token': 'A mailed token is read from the fragment and leaves the address bar.',
    'web.focus-kept':
      'A filter, the next part of a list and a setting that is saved at once leave the keyboard focus at a useful place.',
    'web.one-failure': 'Every failure of the API, ours or of the sign-in handler, reaches people as one kind.',
    'web.rollout-plan': 'What is started is the plan that is shown, and a plan counts only what would be updated.',
    'web.operation-id': 'Repeating an operation keeps its id, so that nothing is done twice.',
    'web.wake': 'Opening a sleeping vault waits for its daemon, and gives up on anything else.',
    'web.key-file': 'No command that the web app shows to start a daemon has the key in it.',
    'auth.password-load':
      'Passwords are hashed off the event loop, a few at once; beyond a bounded queue a request is told to come back.',
    'auth.session-replaced': 'A request of a replaced session does not delete the cookie of the new one.',
    'auth.session-use': 'The list of sessions says when each was last used, to within five minutes.',
    'auth.recovery-codes-left': 'The settings say how many recovery codes are left.',
    'billing.reservations': 'Reserved money is captured or released once; a repeated reservation changes nothing.',
    'billing.blocks-deletion': 'Reserved money and a payment of any time block the deletion of an organization.',
    'signing-keys.rotation':
      'Signing keys rotate by age and by hand; the next one is published before it signs, the last one verifies after.',
    'signing-keys.withdrawal': 'An immediate rotation withdraws the old keys on every replica within seconds.',
    'admin.settings-audit':
      'Settings of an organization by its admins, and rules of the platform, change together with their entry in the audit.',
    'admin.organization-limits':
      'System admins read and set the limits of one organization over the defaults of the platform; each change is audited.',
    'relay.organization-limits':
      'Changed limits of an organization apply at the gateway within seconds, without a restart.',
    'cp.client-types': 'The routes that the web app and svc-admin call are typed from the OpenAPI document.',
    'cp.generated-requests':
      'Requests made from the OpenAPI document get no 500, no answer later than 2 s, and nothing of another organization.',
    'events.topics': 'The event stream tells a person only of what they may see.',
    'events.prompt': 'A change that a page shows reaches its browsers within two seconds, on every replica.',
    'events.session': 'The event stream ends within five seconds of its session.',
    'admin.directory':
      'System admins list and search organizations of both modes, and people with their organizations.',
    'admin.inventory-size':
      'The inventory is paged, searched and filtered, and its overview read, in 100 ms (p99) with 10,000 organizations.',
    'admin.bulk': 'An action on a selection is an audited operation for each, and says what became of each.',
    'web.live': 'A page of the web app shows a change within two seconds, without a reload.',
    'web.live-counts':
      'What no event announces, as counts of notes and of calls, is read every two seconds by the page that shows it.',
    'web.live-fallback': 'Without the event stream, pages of the web app ask by themselves.',
    'web.offline': 'An offline web app says so, keeps what it knows, and reads it again when the network is back.',
    'web.freshness':
      'The console says how fresh it is, and when it is reconnecting or offline, without telling screen readers each second.',
    'web.account-pages':
      'In the web app, people get a confirmation again, accept an invitation by one step, leave, end sessions, change their address and delete their account.',
    'web.long-names': 'Names of any script and length fit on a phone, and no word of a picture is smaller than 12 px.',
    'web.missing-parts': 'Where a part of the web app cannot be loaded, the page loads anew once, at the same address.',
    'events.limit': 'A browser and a person keep a few event streams; more are refused, and none delays a request.',
    'auth.route-table':
      'Every route says who may call it; everybody else gets the one refusal that their place calls for.',
    'auth.open-routes':
      'The routes that are open without a session are those of sign-in and those that the documentation names.',
    'security.vault-origin-reset':
      'A reset or an immediate key rotation gives an organization a new vault origin; the old one serves nobody.',
    'audit.organization': 'Admins of an organization read its audit, and nobody else of it does.',
    'cp.vaults.deadline':
      'A daemon that hangs delays the list of vaults by three seconds at most, and the others not at all.',
    'web.invitation-in-one-step':
      'A mailed invitation names organization and inviter, proves the address, and is accepted in one step.',
    'web.invitation-link': 'An admin can copy a link to an invitation; it opens the invitation and proves no address.',
    'web.commands-run': 'Each command that the web app shows to start a daemon works on a fresh machine as it stands.',
    'web.key-kept': 'Leaving a key that is shown once asks first; how long the old key works is said.',
    'download.checksummed': 'The packed daemon is served under a name with its hash, immutable, with its SHA-256.',
    'login.key-file':
      'svcd login takes a key without echo, keeps it in a file of mode 0600 and dials nothing by itself.',
  }),
  ...rules('issue: backup', {
    'backup.everything-kept': 'A backup holds all of a home that cannot be rebuilt, and is restored byte for byte.',
    'backup.always-restorable':
      'A backup that is done can be restored, whatever names, times and modes its files have and however large they are.',
    'backup.incremental': 'Unchanged files are not read again, stored chunks are not sent again.',
    'backup.full-volume': 'A full volume ends no backup, and one that the volume fails says so.',
    'backup.resumable': 'What a broken backup has sent is not sent again; the backup before stays whole.',
    'backup.tampering-refused':
      'A changed, exchanged or missing chunk and a wrong key are refused; nothing is changed.',
    'backup.hostile-manifest-refused': 'A manifest names nothing outside of what is backed up of a home.',
    'backup.delays-no-save': 'A backup delays no save and holds files that change meanwhile as of one moment.',
    'backup.operations':
      'Backup, drill and restore are audited operations; a restore may go into another organization.',
    'backup.store-failures': 'A storage that is away or damaged ends in a typed failure that people see; backups stay.',
    'backup.schedule': 'Backups are taken and proved when they are due, once, by however many workers.',
    'backup.failing-apart': 'Daemons that cannot be backed up are tried ever more rarely, and hold up no others.',
    'backup.slow-wake': 'A scheduled backup that wakes a slow daemon is tried again while the daemon is awake.',
    'backup.interval-chosen': 'An admin of an organization chooses in the web app how often its daemon is backed up.',
    'backup.after-reinstallation':
      'A reinstalled daemon is not backed up by the schedule before a restore; the backups of before are kept.',
    'backup.retention': 'The newest backups are kept with every chunk that they need; nothing young is deleted.',
    'backup.left-deleted':
      'The backups of a deleted organization are deleted after the days that the operator has set, and audited.',
    'backup.restore-whole':
      'A restore that is killed before any step is finished by the next start, and loses nothing.',
    'backup.restore-abandoned':
      'A restore whose caller goes away is put in place at once or never; a later start finds nothing of it.',
    'backup.restore-undone':
      'Each attempt of a restore first backs up what is there; the response names the backup from before the restore.',
    'backup.drill-proves': 'A drill opens the newest backup with a throw-away daemon and compares every hash.',
  }),
  ...rules('house', {
    'house.imports': 'Imports follow the arrows of the house.',
    'house.floors': 'Each folder has a floor; nothing imports from a higher one, types neither.',
    'house.purity': 'Pure files reach no effect through any chain of imports, and have a test beside them.',
    'house.journeys':
      'The reading lists of six journeys name files that exist, in the order in which they lead to each other.',
    'house.sizes': 'Nine files in ten have 200 lines at most; none has over 250 without a reason in its first comment.',
    'house.openapi': 'Both servers answer an OpenAPI document made from the schemas.',
    'house.embedded-postgres': 'Embedded Postgres keeps its data and leaves no orphan.',
    'setup.own-commands':
      'A command that a page, the app, a help text or a message shows resolves to a script or program of the clone: none can fetch a package or image of a stranger.',
    'setup.new-machine':
      'A fresh clone under any path installs and starts with its first command, for root and others, twice at once too.',
    'journey.browser':
      'Sign-up, self-hosted and hosted organization, entry, browse, search, edit and save in Chromium.',
  }),
}

/** Cites the rules that a test shows. An unknown id throws; citations are collected from the sources. */
export function verifies(...ids: [string, ...string[]]): void {
  for (const id of ids)
    if (!(id in requirements)) throw new Error(`There is no requirement ${id} in test/requirements.ts`)
}
