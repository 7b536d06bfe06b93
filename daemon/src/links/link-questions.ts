import type { Clock } from '@svc/shared/kit/clock.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultLinks } from './follow-links.ts'
import { createGraphLinks } from './link-graph.ts'
import { createReportLinks } from './link-report.ts'
import { createLinksOfFile } from './links-of-file.ts'
import { createLinksOfNote, LINKS_WAIT_MS } from './links-of-note.ts'
import { createCountTags } from './tag-counts.ts'
import { createUnlinkedMentions } from './unlinked-mentions.ts'

type Deps = {
  linksOf: (vault: Vault) => VaultLinks
  indexOf: (vault: Vault) => SearchIndex
  runNoteJob: RunNoteJob
  clock: Clock
  deadlineMs: number
  maxNoteBytes: number
}

/** All queries on the links of a vault. */
export function createLinkQuestions({ indexOf, runNoteJob, ...deps }: Deps) {
  const findMentions = createUnlinkedMentions({ indexOf, runNoteJob, maxNoteBytes: deps.maxNoteBytes })
  const linksOfFile = createLinksOfFile({ ...deps, findMentions })
  const deadlineMs = Math.min(deps.deadlineMs, LINKS_WAIT_MS)
  const linksInPassing = createLinksOfFile({ ...deps, findMentions, deadlineMs })
  return {
    linksOfFile,
    linksOfNote: createLinksOfNote(linksInPassing),
    reportLinks: createReportLinks(deps),
    countTags: createCountTags(deps),
    graphLinks: createGraphLinks(deps),
  }
}
