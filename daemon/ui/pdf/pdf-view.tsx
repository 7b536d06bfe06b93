import { useEffect, useRef } from 'react'
import { showPdf } from './show-pdf.ts'

/** A PDF of the vault as a page. */
export default function PdfView({ url, name }: { url: string; name: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!place.current) return
    const shown = showPdf(place.current, { url, name })
    return () => void shown.then((end) => end())
  }, [url, name])
  // A PDF that opens slowly writes into its own element, also when another one is shown by then.
  return <div key={url} ref={place} />
}
