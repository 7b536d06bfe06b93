/** Vite bundles a module that is imported so as a worker, at an address of this origin. */
declare module 'pdfjs-dist/build/pdf.worker.min.mjs?worker' {
  const PdfWorker: new () => Worker
  export default PdfWorker
}
