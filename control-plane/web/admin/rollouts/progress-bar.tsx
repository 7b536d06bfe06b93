import type { MemberCounts } from '../admin-answers.ts'
import { progressParts, progressWords } from './rollout-states.ts'

/** The progress of a rollout or of a wave, as a bar of parts and in words. */
export function ProgressBar({ counts, label }: { counts: MemberCounts; label: string }) {
  return (
    <div className="progress">
      <div className="progress-bar" role="img" aria-label={`${label}: ${progressWords(counts)}`}>
        {progressParts(counts)
          .filter(({ count }) => count > 0)
          .map(({ name, percent }) => (
            <span key={name} className={`progress-${name}`} style={{ width: `${percent}%` }} />
          ))}
      </div>
      <span className="fine" aria-hidden="true">
        {progressWords(counts)}
      </span>
    </div>
  )
}
