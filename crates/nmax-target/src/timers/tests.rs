use std::cell::RefCell;

use tokio::task::LocalSet;

use super::*;

fn on_one_worker(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, test);
}

#[test]
fn waits_end_in_order_and_never_early() {
    on_one_worker(async {
        let timers = Timers::new().unwrap();
        tokio::task::spawn_local(timers.clone().drive());
        // Late enough for all of them to wait by then, on a busy machine too.
        let start_ns = clock::now_ns() + 500_000_000;
        let ended = Rc::new(RefCell::new(Vec::new()));
        // Started in another order than they end; two at one deadline.
        let tasks: Vec<_> = [3_u64, 1, 4, 1, 2]
            .into_iter()
            .map(|ms| {
                let (timers, ended) = (timers.clone(), Rc::clone(&ended));
                tokio::task::spawn_local(async move {
                    let deadline_ns = start_ns + ms * 5_000_000;
                    timers.sleep_until(deadline_ns).await;
                    assert!(clock::now_ns() >= deadline_ns, "early");
                    ended.borrow_mut().push(ms);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*ended.borrow(), [1, 1, 2, 3, 4]);
        assert!(timers.inner.waiting.borrow().is_empty());
    });
}

#[test]
fn a_cancelled_wait_leaves_nothing() {
    on_one_worker(async {
        let timers = Timers::new().unwrap();
        tokio::task::spawn_local(timers.clone().drive());
        let hour_ns = 3_600_000_000_000;
        let long = timers.sleep(hour_ns);
        tokio::select! {
            biased;
            () = long => panic!("an hour passed"),
            () = timers.sleep(1_000_000) => {}
        }
        assert!(timers.inner.waiting.borrow().is_empty());
        timers.sleep(1_000_000).await;
    });
}
