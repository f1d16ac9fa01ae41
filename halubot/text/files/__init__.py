"""From a file to its text: plain text here, HTML, PDF and DOCX in a process with limits."""
