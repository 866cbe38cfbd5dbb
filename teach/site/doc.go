// Package site makes one static site of what this module has to read: README, documentation,
// the course, litmus tests and the cheat sheet, beside the lab.
//
// Start here: [Make] returns the files of the site by name. `commworld site DIR` writes them,
// together with the page of the lab.
//
// Lessons are live: a question before the text, programs to change and run where the text shows
// one, and an exercise that is marked in the page. [Course] returns their pages alone, for the
// server of the lab. What readers change is kept by their browsers.
//
// Pages need no network, and any web server can serve them: style, search and index are files of
// the site. The whole site has at most 4,500,000 bytes; its tests demand that. Each page
// forbids everything else by its content security policy. A rank script on a page has a link that
// opens it in the lab.
package site
