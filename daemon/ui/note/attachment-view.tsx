import '../styles/attachment.css'
import { Suspense } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import { attachmentUrl } from '../api/daemon-client.ts'
import type { Entry } from '../links/link-index.ts'
import { mediaKind } from '../markdown/media-embed.ts'

const PdfView = lazyPart(() => import('../pdf/pdf-view.tsx'))

type Props = { vaultId: string; entry: Entry }

/** An attachment as a page: shown if the browser can show it safely, otherwise offered for download. */
export default function AttachmentView({ vaultId, entry }: Props) {
  const source = attachmentUrl({ vaultId, path: entry.path })
  const kind = mediaKind(entry.path)
  return (
    <div className="note-scroll">
      <article className="attachment" aria-label="Attachment">
        <h1>{entry.name}</h1>
        <p className="quiet">
          {size(entry.size)}, changed {new Date(entry.modifiedAt).toLocaleString()}
        </p>
        {kind === 'image' && <img src={source} alt={entry.name} />}
        {kind === 'audio' && <audio src={source} controls aria-label={entry.name} />}
        {kind === 'video' && <video src={source} controls aria-label={entry.name} />}
        {kind === 'pdf' && (
          <Suspense fallback={<p className="quiet">Opening the PDF…</p>}>
            <PdfView url={source} name={entry.name} />
          </Suspense>
        )}
        <p>
          <a className="button" href={source} download={entry.name}>
            Download
          </a>
        </p>
      </article>
    </div>
  )
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const [unit, scale] = bytes < 1e6 ? ['KB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9]
  return `${(bytes / Number(scale)).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`
}
