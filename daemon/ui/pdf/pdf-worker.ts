// The worker that reads PDFs. A file of its own, so that the build gives it an address on this origin.
import 'pdfjs-dist/build/pdf.worker.min.mjs'
