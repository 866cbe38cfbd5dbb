// Package browser holds no code: its tests drive chromium against the page of
// `commworld lab`, served and as a static site. They are skipped, loudly, where there is no
// chromium. Screenshots go to the folder that LAB_SCREENSHOTS names, if it is set.
package browser
