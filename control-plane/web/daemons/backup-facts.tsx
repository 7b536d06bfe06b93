import type { ReactNode } from 'react'
import type { BackupState } from '../answers.ts'
import { Status } from '../controls/status.tsx'
import { Time } from '../controls/time.tsx'
import { backupProblem, RESTORE_FIRST } from './backup-words.ts'
import { idleWords } from './idle-words.ts'

/** The facts about the backups of a daemon; none if the platform has no storage for backups. */
export function backupFacts(backup: BackupState | undefined): [name: string, value: ReactNode][] {
  if (backup === undefined) return []
  const { last, verified, problem, everySeconds, awaitsRestore } = backup
  return [
    ['Backed up', last === null ? 'Not yet' : <LastBackup key="backup" last={last} />],
    ['Backup proved', verified === null ? 'Not yet' : <Time key="proof" at={verified.verifiedAt} />],
    ['Backed up every', idleWords(everySeconds)],
    [
      'Backups paused',
      awaitsRestore ? (
        <Status key="paused" tone="warning">
          {RESTORE_FIRST}
        </Status>
      ) : undefined,
    ],
    [
      'Backup problem',
      problem && (
        <>
          <Status tone="bad">{backupProblem(problem)}</Status>
          <small className="under">
            <Time at={problem.at} />
          </small>
        </>
      ),
    ],
  ]
}

/** A backup may be old and still hold everything: none is taken while nobody uses the host. */
function LastBackup({ last: { takenAt, currentAt } }: { last: NonNullable<BackupState['last']> }) {
  return (
    <>
      <Time at={takenAt} />
      {currentAt > takenAt && (
        <small className="under">
          Still complete <Time at={currentAt} />: nobody had used the host
        </small>
      )}
    </>
  )
}
