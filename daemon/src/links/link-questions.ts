import type { Clock } from '@svc/shared/kit/clock.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultLinks } from './follow-links.ts'
import { graphLinks } from './link-graph.ts'
import { reportLinks } from './link-report.ts'
import { linksOfFile } from './links-of-file.ts'
import { countTags } from './tag-counts.ts'
import { unlinkedMentions } from './unlinked-mentions.ts'

type Deps = {
  linksOf: (vault: Vault) => VaultLinks
  indexOf: (vault: Vault) => SearchIndex
  runNoteJob: RunNoteJob
  clock: Clock
  deadlineMs: number
  maxNoteBytes: number
}

/** Everything that is asked of the links of a vault. */
export function linkQuestions({ indexOf, runNoteJob, ...deps }: Deps) {
  const findMentions = unlinkedMentions({ indexOf, runNoteJob, maxNoteBytes: deps.maxNoteBytes })
  return {
    linksOfFile: linksOfFile({ ...deps, findMentions }),
    reportLinks: reportLinks(deps),
    countTags: countTags(deps),
    graphLinks: graphLinks(deps),
  }
}
