import { humanBytes } from '../controls/relative-time.ts'

/** How full a volume is, as a bar and in words. */
export function StorageMeter({ usedBytes, capacityBytes }: { usedBytes: number; capacityBytes: number }) {
  const share = capacityBytes === 0 ? 0 : Math.min(1, usedBytes / capacityBytes)
  const words = `${humanBytes(usedBytes)} of ${humanBytes(capacityBytes)}`
  return (
    <span className="meter-row">
      <span
        className={`meter ${share >= 0.9 ? 'meter-full' : share >= 0.75 ? 'meter-high' : ''}`}
        role="meter"
        aria-label="Storage used"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={words}
      >
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {words}
    </span>
  )
}
