use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use super::*;

/// Lets every other task that is ready run first.
async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// What tasks of these numbers did, each twice.
fn turns(reactor: &Reactor, numbers: &[u32]) -> Vec<u32> {
    let done = Rc::new(RefCell::new(Vec::new()));
    reactor.block_on(async {
        for number in numbers.iter().copied() {
            let done = Rc::clone(&done);
            spawn(async move {
                done.borrow_mut().push(number);
                yield_now().await;
                done.borrow_mut().push(number);
            });
        }
        while done.borrow().len() < 2 * numbers.len() {
            yield_now().await;
        }
    });
    done.take()
}

#[test]
fn tasks_take_turns_in_the_order_of_their_start() {
    assert_eq!(turns(&Reactor::new().unwrap(), &[1, 2, 3]), [1, 2, 3, 1, 2, 3]);
}

#[test]
fn numbers_of_ended_tasks_are_used_again() {
    let reactor = Reactor::new().unwrap();
    for _ in 0..3 {
        turns(&reactor, &[1, 2, 3]);
    }
    assert_eq!(reactor.core.tasks.borrow().all.len(), 3);
}

#[test]
fn a_task_that_panics_ends_alone() {
    let reactor = Reactor::new().unwrap();
    reactor.block_on(async { spawn(async { panic!("this is meant to be") }) });
    assert_eq!(turns(&reactor, &[1, 2]), [1, 2, 1, 2]);
}

#[test]
fn other_threads_wake_a_reactor_that_sleeps() {
    let (mut bells, mut rings) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        let (bell, ring) = oneshot::channel();
        bells.push(bell);
        rings.push(ring);
    }
    let (heard, hears) = sync_channel(0);
    let ringer = thread::spawn(move || {
        for (number, bell) in bells.into_iter().enumerate() {
            bell.send(number).unwrap();
            hears.recv().unwrap();
        }
    });
    Reactor::new().unwrap().block_on(async {
        for (number, ring) in rings.into_iter().enumerate() {
            assert_eq!(ring.await.unwrap(), number);
            heard.send(()).unwrap();
        }
    });
    ringer.join().unwrap();
}

#[test]
fn within_tokio_both_wake() {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let reactor = Reactor::new().unwrap();
    let (bell, ring) = oneshot::channel();
    let slow = thread::spawn(move || bell.send(7));
    let sum = tokio.block_on(reactor.within(async {
        let (other, done) = oneshot::channel();
        spawn(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            other.send(1).unwrap();
        });
        ring.await.unwrap() + done.await.unwrap()
    }));
    assert_eq!(sum.unwrap(), 8);
    slow.join().unwrap().unwrap();
}

#[test]
fn tasks_end_with_their_reactor() {
    let reactor = Reactor::new().unwrap();
    let shared = Rc::new(());
    let kept = Rc::clone(&shared);
    reactor.block_on(async move {
        spawn(async move {
            std::future::pending::<()>().await;
            drop(kept);
        });
    });
    assert_eq!(Rc::strong_count(&shared), 2);
    drop(reactor);
    assert_eq!(Rc::strong_count(&shared), 1);
}
